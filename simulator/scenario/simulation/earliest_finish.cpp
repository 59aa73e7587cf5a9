#include "simulator/scenario/simulation/earliest_finish.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "platforms/topology.hpp"
#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class EarliestFinish {
 public:
  EarliestFinish(TaskGraph const& graph, Machine const& machine, Topology const& topology)
      : graph_(graph),
        machine_(machine),
        topology_(topology),
        node_(graph.task_count()),
        end_(graph.task_count(), 0),
        before_(transpose(graph.successor_begin, graph.successors)) {
    for (std::size_t n = 0; n < machine.node_count(); ++n)
      free_.emplace_back(machine.type(NodeId{n}).workers.size(), 0.0);
  }

  std::vector<NodeId> nodes() && {
    std::vector<double> const rank = ranks();
    std::vector<std::uint32_t> order(graph_.task_count());
    std::iota(order.begin(), order.end(), 0U);
    // Submission order is topological, and no rank is less than that of a successor.
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t t) { return rank[t]; });
    for (std::uint32_t const t : order) place(TaskId{t});
    return std::move(node_);
  }

 private:
  /// A worker of a node, and when it would end a task.
  struct Choice {
    NodeId node;
    std::size_t worker = 0;
    double end = never;
  };

  [[nodiscard]] double duration(TaskId t, NodeId node, std::size_t worker) const {
    return machine_.durations(node, graph_.kernel[t.index()])[worker] *
           graph_.weight(t, machine_.type(node).workers[worker].gpu);
  }

  [[nodiscard]] double mean_duration(TaskId t) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::uint32_t type = 0; type < machine_.types.size(); ++type) {
      auto const node = std::ranges::find(machine_.type_of, type);
      if (node == machine_.type_of.end()) continue;
      NodeId const first{node - machine_.type_of.begin()};
      for (std::size_t w = 0; w < machine_.types[type].workers.size(); ++w)
        if (double const d = duration(t, first, w); !std::isinf(d)) sum += d, ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
  }

  [[nodiscard]] Bytes sent(TaskId from, TaskId to) const {
    HandleId const given = graph_.given_to(from, to);
    return given.valid() && graph_.reads_handle(to, given) ? graph_.handles[given.index()].size : Bytes{0};
  }
  [[nodiscard]] double message_time(NodeId from, NodeId to, Bytes size) const {
    return unshared_time(topology_, topology_.ram_of(from), topology_.ram_of(to), size).value;
  }

  /// Returns HEFT's upward ranks. The mean time of a message is that between the first two nodes: exact for a homogeneous
  /// network, an estimate otherwise.
  [[nodiscard]] std::vector<double> ranks() const {
    std::vector<double> rank(graph_.task_count());
    double const latency = message_time(NodeId{0}, NodeId{1}, Bytes{0});
    constexpr std::int64_t large = 1'000'000'000;
    double const per_byte = (message_time(NodeId{0}, NodeId{1}, Bytes{large}) - latency) / large;
    double const elsewhere = 1 - 1 / static_cast<double>(machine_.node_count());
    for (std::uint32_t t = static_cast<std::uint32_t>(graph_.task_count()); t-- > 0;) {
      double rest = 0;
      for (TaskId const s : graph_.successors_of(TaskId{t})) {
        double const message = latency + per_byte * static_cast<double>(sent(TaskId{t}, s).value);
        rest = std::max(rest, elsewhere * message + rank[s.index()]);
      }
      rank[t] = mean_duration(TaskId{t}) + rest;
    }
    return rank;
  }

  [[nodiscard]] Choice best_on(TaskId t, NodeId node) const {
    double ready = 0;
    for (std::uint32_t b = before_.begin[t.index()]; b < before_.begin[t.index() + 1]; ++b) {
      TaskId const before = before_.items[b];
      double const message =
          node_[before.index()] == node ? 0 : message_time(node_[before.index()], node, sent(before, t));
      ready = std::max(ready, end_[before.index()] + message);
    }
    Choice best{.node = node};
    for (std::size_t w = 0; w < free_[node.index()].size(); ++w) {
      double const end = std::max(ready, free_[node.index()][w]) + duration(t, node, w);
      if (end < best.end) best = {node, w, end};
    }
    return best;
  }

  void place(TaskId t) {
    Choice best{.node = NodeId{0}};
    for (std::size_t n = 0; n < machine_.node_count(); ++n)
      if (Choice const here = best_on(t, NodeId{n}); here.end < best.end) best = here;
    node_[t.index()] = best.node;
    if (best.end == never) return;  // no worker can run it; planning says so
    end_[t.index()] = best.end;
    free_[best.node.index()][best.worker] = best.end;
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  Topology const& topology_;
  std::vector<NodeId> node_;               // [tasks]
  std::vector<double> end_;                // [tasks]
  TaskRows before_;                        // predecessors
  std::vector<std::vector<double>> free_;  // [nodes][workers]
};

}  // namespace

std::vector<NodeId> earliest_finish_nodes(TaskGraph const& graph, PlacedScenario const& s,
                                          TimingKey const& key) {
  Machine const machine = build_machine(s.platform, s.models, graph.kernels, key, s.runtime);
  Topology const topology(s.platform);
  return EarliestFinish(graph, machine, topology).nodes();
}

}  // namespace factosim
