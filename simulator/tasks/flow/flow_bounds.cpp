#include "simulator/tasks/flow/flow_bounds.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/tasks/bounds/bounds.hpp"
#include "simulator/tasks/bounds/message_times.hpp"
#include "simulator/tasks/bounds/rounding.hpp"
#include "simulator/tasks/bounds/task_work.hpp"
#include "simulator/tasks/flow/flow_chains.hpp"
#include "simulator/tasks/flow/flow_messages.hpp"
#include "simulator/tasks/flow/flow_windows.hpp"

namespace factosim {

namespace {

/// Heads and messages, in the first pass.
class HeadReader : public FlowReader {
 public:
  HeadReader(TickTimes const& times, std::size_t nodes, LinkLoads& loads)
      : chains_(times), messages_(nodes, loads), longest_heads_(nodes, 0) {}

  void add_handle(HandleInfo const& handle, NodeId owner) {
    chains_.add_handle(handle);
    messages_.add_handle(handle, owner);
    sizes_.push_back(handle.size);
  }
  void task(PlacedTask const& task) {
    double& longest = longest_heads_[task.node.index()];
    longest = std::max(longest, chains_.task(task).with_messages);
    if (chains_.waits_for_users()) waiting_.push_back(tasks_);
    ++tasks_;
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
  [[nodiscard]] std::vector<double> const& longest_heads() const { return longest_heads_; }
  [[nodiscard]] FlowMessages const& messages() const { return messages_; }
  [[nodiscard]] std::vector<Bytes> const& sizes() const { return sizes_; }
  /// Numbers of the tasks that wait for users (FlowChains), ascending.
  [[nodiscard]] std::vector<std::uint64_t> const& waiting() const { return waiting_; }
  [[nodiscard]] std::uint64_t tasks() const { return tasks_; }

 private:
  FlowChains<TickTimes> chains_;
  FlowMessages messages_;
  std::vector<double> longest_heads_;  // [nodes] with messages
  std::vector<Bytes> sizes_;           // [handles]
  std::vector<std::uint64_t> waiting_;
  std::uint64_t tasks_ = 0;
};

/// The tails of all tasks, and the longest one of each node with messages.
struct Tails {
  StoredTails stored;
  std::vector<double> longest;  // [nodes]
};

Tails read_tails(PlacedFlow& placed, HeadReader const& heads, TickTimes const& times) {
  FlowTails tails(heads.sizes(), times);
  Tails out{StoredTails(placed.handle_count()), std::vector<double>(placed.nodes(), 0)};
  auto waiting = heads.waiting().rbegin();
  std::uint64_t number = heads.tasks();
  placed.for_each_backwards([&](PlacedTask const& task) {
    bool const waits = waiting != heads.waiting().rend() && *waiting == --number;
    if (waits) ++waiting;
    FlowTail const tail = tails.task(task, waits);
    out.stored.add_before(task.written(), tail, {times.of_any(task), times.on_node(task)});
    double& longest = out.longest[task.node.index()];
    longest = std::max(longest, tail.with_messages);
  });
  return out;
}

}  // namespace

FlowFigures flow_figures(PlacedFlow& placed, FlowWork const& work, Machine const& machine,
                         Topology const& topology, TimeGrid const& grid, MessageRules const& rules) {
  auto const seconds = [&](Seconds ticks) { return grid.seconds(ticks.value); };
  std::size_t const kernels = work.kernels.size();
  TickTimes const times(machine, kernels, topology, grid);
  LinkLoads loads(topology, rules);
  HeadReader heads(times, placed.nodes(), loads);
  placed.read(heads);
  FlowFigures out;
  out.messages = heads.messages().count();
  out.messages_by_phase = heads.messages().by_phase();
  Bounds& b = out.bounds;
  b.problem_path = grid.seconds(heads.longest().fastest);
  b.critical_path = grid.seconds(heads.longest().own);
  b.critical_path_with_comm = grid.seconds(heads.longest().with_messages);

  std::vector<std::vector<double>> by_node;
  for (auto const& tasks : work.tasks_by_node) by_node.emplace_back(tasks.begin(), tasks.end());
  Machine const in_ticks = machine_in_ticks(machine, grid);
  NodeAreaBounds const areas(by_node, in_ticks);
  b.abe = seconds(areas.of_all().makespan);
  for (std::size_t n = 0; n < by_node.size(); ++n)
    b.abe_per_node.push_back(seconds(areas.of_node(n).makespan));

  LinkLoad const link = loads.most_loaded();
  std::optional<LinkWindows> messages;
  if (link.link) messages.emplace(*link.link, loads, placed.nodes(), grid.tick());
  Tails tails = read_tails(placed, heads, times);
  WindowReader windows(times, std::move(tails.stored), heads.longest_heads(), tails.longest, areas,
                       messages ? &*messages : nullptr);
  placed.read(windows);
  b.problem_area_and_path = seconds(
      area_and_path(windows.paths(), kernels, worker_classes(in_ticks, kernels, nodes_by_type(machine))));
  b.load_and_path = grid.seconds(windows.load_and_path());
  if (link.link) {
    double const with_chains =
        work_and_path(std::move(*messages).messages()) * (1 - flow_precision) - early_ticks;
    b.load_and_path = std::max(b.load_and_path, grid.seconds(std::max(0.0, with_chains)));
    b.link = link.seconds * (1 - flow_precision);
    b.link_name = topology.links()[*link.link].name;
  }
  if (uses_gpu_parts(machine)) subtract_rounding(b, work.tasks, grid.tick());
  return out;
}

}  // namespace factosim
