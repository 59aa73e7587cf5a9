#pragma once

#include <string>
#include <vector>

#include "simulator/audit/rules/audited_run.hpp"

namespace factosim::audit {

/// Workers of the platform's nodes and kernel durations on them, derived from the descriptions alone: GPUs
/// first, then the cores that neither drive a GPU nor handle messages nor are reserved.
class ExpectedMachine {
 public:
  struct Worker {
    std::string name;
    std::size_t memory;        // within the node: RAM or NUMA nodes, then GPUs
    bool gpu, spare;           // spare: one more worker than cores
    std::size_t socket = 0;    // within the node, of a core
    bool shares_core = false;  // with the communication thread
    std::size_t device = 0;    // number of its GPU
    bool further = false;      // not the first worker of its GPU
  };

  struct OnWorker {                        // of a kernel
    double capped = 1;                     // factor of its durations by the power cap of the worker
    double busy_W = 0;                     // above idle while it runs
    KernelTiming const* timing = nullptr;  // null: it cannot run there or takes no time
    double mean_s = 0;                     // infinite: it cannot run there
    double least_s = 0;                    // the same where the cores slow it down least
    double part = 1;  // of its GPU, that it uses alone; 1 on a core, and where GPUs are shared equally
  };

  explicit ExpectedMachine(AuditedRun const& run);

  [[nodiscard]] std::vector<Worker> const& workers(NodeId node) const {
    return types_[run_.platform.nodes[node.index()]].workers;
  }
  /// What a kernel does on a worker of the node.
  [[nodiscard]] OnWorker const& on(NodeId node, std::size_t kernel, std::size_t worker) const {
    return type(node).on[kernel * type(node).workers.size() + worker];
  }
  /// Duration of a task on the fastest worker of the node, where the cores slow it down least.
  [[nodiscard]] double min_s(NodeId node, std::size_t task) const;
  /// Factor of the durations of the task's kernel on that worker.
  [[nodiscard]] double weight(NodeId node, std::size_t task, std::size_t worker) const;

 private:
  struct Type {
    std::vector<Worker> workers;
    std::vector<OnWorker> on;  // [kernels][workers]
  };
  [[nodiscard]] Type const& type(NodeId node) const { return types_[run_.platform.nodes[node.index()]]; }
  void add_workers(Type& type, NodeType const& described) const;
  [[nodiscard]] static OnWorker powered(Kernel const& kernel, Worker const& worker,
                                        NodeType const& described);
  /// `model`: null: a recorded run has the durations.
  void add_kernels(Type& type, NodeType const& described, KernelModel const* model) const;
  void add_parts(Type& type, KernelModel const& model) const;

  AuditedRun const& run_;
  std::vector<Type> types_;
};

}  // namespace factosim::audit
