#include "simulator/flow/flow_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simulator/bounds/bounds.hpp"
#include "simulator/bounds/message_times.hpp"
#include "simulator/bounds/task_chains.hpp"
#include "simulator/bounds/task_work.hpp"
#include "simulator/flow/flow_chains.hpp"
#include "simulator/flow/flow_messages.hpp"

namespace factosim {

namespace {

/// Shortest durations of kernels and least times of messages, in ticks.
class TickTimes {
 public:
  using Value = ChainTail;

  TickTimes(Machine const& machine, std::size_t kernels, Topology const& topology, TimeGrid const& grid)
      : machine_(machine), kernels_(kernels), message_time_(topology, grid) {
    of_any_.assign(kernels, std::numeric_limits<double>::infinity());
    for (Machine::Type const& type : machine.types)
      for (std::size_t k = 0; k < kernels; ++k) {
        double const seconds = type.shortest_duration(k);
        of_type_.push_back(std::isinf(seconds) ? seconds : grid.ticks(Seconds{seconds}));
      }
    for (std::uint32_t const type : machine.type_of)
      for (std::size_t k = 0; k < kernels; ++k)
        of_any_[k] = std::min(of_any_[k], of_type_[type * kernels + k]);
  }

  static void extend(ChainTail& longest, ChainTail const& other) {
    longest.fastest = std::max(longest.fastest, other.fastest);
    longest.own = std::max(longest.own, other.own);
    longest.with_messages = std::max(longest.with_messages, other.with_messages);
  }
  [[nodiscard]] ChainTail end(ChainTail const& start, PlacedTask const& task) const {
    double const own = of_type_[machine_.type_of[task.node.index()] * kernels_ + task.kernel];
    return {start.fastest + of_any_[task.kernel], start.own + own, start.with_messages + own};
  }
  [[nodiscard]] ChainTail arrival(ChainTail const& end, NodeId from, NodeId to, Bytes size) {
    return {end.fastest, end.own, end.with_messages + message_time_(from, to, size)};
  }

 private:
  Machine const& machine_;
  std::size_t kernels_;
  MessageTimes message_time_;
  std::vector<double> of_any_;   // [kernels]
  std::vector<double> of_type_;  // [types][kernels]
};

/// Chains and messages in one pass.
class FigureReader : public FlowReader {
 public:
  FigureReader(TickTimes times, std::size_t nodes, LinkLoads& loads)
      : chains_(std::move(times)), messages_(nodes, &loads) {}

  void add_handle(HandleInfo const& handle, NodeId owner) {
    chains_.add_handle(handle);
    messages_.add_handle(handle, owner);
  }
  void task(PlacedTask const& task) {
    chains_.task(task);
    messages_.task(task);
  }
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) {
    chains_.last_use(handle);
    messages_.last_use(handle);
  }
  void flush_inputs(PlacedTask const& task) { messages_.flush_inputs(task); }
  void flush_cache() { messages_.flush_cache(); }

  [[nodiscard]] ChainTail const& longest() const { return chains_.longest(); }
  [[nodiscard]] FlowMessages const& messages() const { return messages_; }

 private:
  FlowChains<TickTimes> chains_;
  FlowMessages messages_;
};

}  // namespace

FlowFigures flow_figures(PlacedFlow const& placed, FlowWork const& work, Machine const& machine,
                         Topology const& topology, TimeGrid const& grid, MessageRules const& rules) {
  auto const seconds = [&](Seconds ticks) { return grid.seconds(ticks.value); };
  LinkLoads loads(topology, rules);
  FigureReader reader(TickTimes(machine, work.kernels.size(), topology, grid), placed.nodes, loads);
  read_flow(placed, reader);
  FlowFigures out;
  out.messages = reader.messages().count();
  out.messages_by_phase = reader.messages().by_phase();
  Bounds& b = out.bounds;
  std::vector<std::vector<double>> by_node;
  for (auto const& tasks : work.tasks_by_node) by_node.emplace_back(tasks.begin(), tasks.end());
  NodeAreaBounds const areas(by_node, machine_in_ticks(machine, grid));
  b.abe = seconds(areas.of_all().makespan);
  for (std::size_t n = 0; n < by_node.size(); ++n)
    b.abe_per_node.push_back(seconds(areas.of_node(n).makespan));
  b.problem_path = grid.seconds(reader.longest().fastest);
  b.critical_path = grid.seconds(reader.longest().own);
  b.critical_path_with_comm = grid.seconds(reader.longest().with_messages);
  if (LinkLoad const link = loads.most_loaded(); link.link) {
    b.link = link.seconds * (1 - flow_precision);
    b.link_name = topology.links()[*link.link].name;
  }
  return out;
}

}  // namespace factosim
