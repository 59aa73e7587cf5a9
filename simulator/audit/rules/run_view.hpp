#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/audit/rules/audited_run.hpp"
#include "simulator/audit/rules/expected_machine.hpp"
#include "simulator/audit/rules/routes.hpp"

namespace factosim::audit {

/// Common data of all checks: the run, the home node of each task, and the platform's workers.
class RunView {
 public:
  explicit RunView(AuditedRun const& run);

  AuditedRun const& run;
  ExpectedMachine machine;
  Routes routes;
  std::vector<NodeId> home;  // [tasks] owner of the data that the task writes; none: no owner
  /// Each duration, cost and latency of a run is rounded to whole ticks of the simulator's clock, and is at least one:
  /// it is off by at most this.
  double tick_s;
  /// Dates that differ by less are equal: SimGrid's precision is 1 ns, and transfers that end within 10 ticks end
  /// together.
  static constexpr double ticks_per_tie = 16;
  double tie_s;
  /// The trace's tasks correspond one to one to those of the application, and its workers to the platform;
  /// other checks need this.
  bool aligned = false;

  [[nodiscard]] bool ran(std::size_t task) const { return aligned && ran_[task]; }
  [[nodiscard]] double start_s(std::size_t task) const { return run.trace->start_s[task]; }
  [[nodiscard]] double end_s(std::size_t task) const { return run.trace->end_s[task]; }
  [[nodiscard]] Trace::Worker const& worker(std::size_t task) const {
    return run.trace->workers[run.trace->worker[task].index()];
  }
  /// Node that executed the task.
  [[nodiscard]] NodeId node(std::size_t task) const { return worker(task).node; }
  /// Number of its worker within the node.
  [[nodiscard]] std::size_t local_worker(std::size_t task) const {
    return run.trace->worker[task].index() - first_worker_[node(task).index()];
  }
  /// What its kernel does there.
  [[nodiscard]] ExpectedMachine::OnWorker const& on_worker(std::size_t task) const {
    return machine.on(node(task), run.graph.kernel[task], local_worker(task));
  }
  [[nodiscard]] std::size_t local_memory(MemoryNodeId memory) const {
    return memory.index() - routes.first_memory(run.trace->memory_nodes[memory.index()].node);
  }
  [[nodiscard]] bool is_gpu_memory(MemoryNodeId memory) const {
    NodeType const& type = run.platform.type_of(memory_owner(memory));
    return local_memory(memory) >= type.ram_count() && !type.is_disk(local_memory(memory));
  }
  [[nodiscard]] bool is_disk(MemoryNodeId memory) const {
    return run.platform.type_of(memory_owner(memory)).is_disk(local_memory(memory));
  }
  /// Returns whether copies in RAM of that memory's node are allocated and evicted.
  [[nodiscard]] bool out_of_core(MemoryNodeId memory) const {
    return run.platform.type_of(memory_owner(memory)).out_of_core;
  }
  [[nodiscard]] NodeId memory_owner(MemoryNodeId memory) const {
    return run.trace->memory_nodes[memory.index()].node;
  }
  /// The memories of a message: the first of its nodes unless the trace says so.
  [[nodiscard]] MemoryNodeId memory_of(MemoryNodeId recorded, NodeId node) const {
    return recorded.valid() ? recorded : ram_of(node);
  }
  [[nodiscard]] Routes::Route route_of(Trace::Message const& m) const {
    return routes.between(m.from, m.to, local_memory(memory_of(m.from_memory, m.from)),
                          local_memory(memory_of(m.to_memory, m.to)));
  }
  /// Returns the messages sorted by sender, receiver, end and start.
  [[nodiscard]] std::vector<Trace::Message> messages_by_pair() const;
  /// Bytes that a message takes on its links.
  [[nodiscard]] Bytes carried(Bytes size) const { return run.platform.network.efficiency.carried(size); }
  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const { return MemoryNodeId{routes.first_memory(node)}; }
  /// Returns whether the trace records allocations in that memory.
  [[nodiscard]] bool has_places(MemoryNodeId memory) const {
    return run.trace->has_places &&
           (is_gpu_memory(memory) || local_memory(memory) == 0 || out_of_core(memory));
  }

  /// "task 12 gemm (2, 3, 4)", with "on 0:cuda1" if it was executed.
  [[nodiscard]] std::string name_of_task(std::size_t task) const;
  /// "tile (2, 3)", "1:cuda0".
  [[nodiscard]] std::string name_of_handle(HandleId handle) const;
  [[nodiscard]] std::string name_of_memory(MemoryNodeId memory) const;

 private:
  std::vector<char> ran_;                  // [tasks]
  std::vector<std::size_t> first_worker_;  // [nodes]
  friend void check_tasks(RunView&, class AuditReport&);
};

/// How long each task would have lasted with its worker's device for itself, and for how long it drew the power of the device.
/// Of the kernels that run on one GPU at once, each has the part that it uses alone (`ExpectedMachine::part`), up to the level
/// at which the GPU is full. Between two starts or ends of kernels, one progresses by the part that it has over the one that it
/// uses alone, and draws power by the part that it has over those that all have.
class GpuTime {
 public:
  explicit GpuTime(RunView const& view);

  [[nodiscard]] double alone_s(std::size_t task) const { return alone_s_[task]; }
  [[nodiscard]] double drawn_s(std::size_t task) const { return drawn_s_[task]; }

 private:
  struct Running {
    std::uint32_t task;
    double part;
  };
  void pass(double seconds, std::span<Running const> by_part);

  std::vector<double> alone_s_, drawn_s_;  // [tasks]
};

}  // namespace factosim::audit
