#pragma once

#include <string>
#include <vector>

#include "simulator/audit/audited_run.hpp"
#include "simulator/audit/expected_machine.hpp"
#include "simulator/audit/routes.hpp"

namespace factosim::audit {

/// What all checks look things up in: the run, where its tasks belong, and what the platform is made of.
class RunView {
 public:
  explicit RunView(AuditedRun const& run);

  AuditedRun const& run;
  ExpectedMachine machine;
  Routes routes;
  std::vector<NodeId> home;  // [tasks] the node that owns what each writes; none: no node owns it
  /// The trace's tasks are those of the application, one by one, and its machine is the platform: what else
  /// it tells can be held against them.
  bool aligned = false;

  [[nodiscard]] bool ran(std::size_t task) const { return aligned && ran_[task]; }
  [[nodiscard]] double start_s(std::size_t task) const { return run.trace->start_s[task]; }
  [[nodiscard]] double end_s(std::size_t task) const { return run.trace->end_s[task]; }
  [[nodiscard]] Trace::Worker const& worker(std::size_t task) const {
    return run.trace->workers[run.trace->worker[task].index()];
  }
  /// Where it ran.
  [[nodiscard]] NodeId node(std::size_t task) const { return worker(task).node; }
  /// The number of its worker within the node.
  [[nodiscard]] std::size_t local_worker(std::size_t task) const {
    return run.trace->worker[task].index() - first_worker_[node(task).index()];
  }
  [[nodiscard]] std::size_t local_memory(MemoryNodeId memory) const {
    return memory.index() - routes.first_memory(run.trace->memory_nodes[memory.index()].node);
  }
  [[nodiscard]] bool is_gpu_memory(MemoryNodeId memory) const {
    return local_memory(memory) >= run.platform.type_of(memory_owner(memory)).ram_count();
  }
  [[nodiscard]] NodeId memory_owner(MemoryNodeId memory) const {
    return run.trace->memory_nodes[memory.index()].node;
  }
  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const { return MemoryNodeId{routes.first_memory(node)}; }
  /// Whether the trace tells when replicas have a place in that memory.
  [[nodiscard]] bool tells_places(MemoryNodeId memory) const {
    return run.trace->tells_places && (is_gpu_memory(memory) || local_memory(memory) == 0);
  }

  /// "task 12 gemm (2, 3, 4)", and "on 0:cuda1" where it ran.
  [[nodiscard]] std::string name_of_task(std::size_t task) const;
  /// "tile (2, 3)", "1:cuda0".
  [[nodiscard]] std::string name_of_handle(HandleId handle) const;
  [[nodiscard]] std::string name_of_memory(MemoryNodeId memory) const;

 private:
  std::vector<char> ran_;                  // [tasks]
  std::vector<std::size_t> first_worker_;  // [nodes]
  friend void check_tasks(RunView&, class AuditReport&);
};

}  // namespace factosim::audit
