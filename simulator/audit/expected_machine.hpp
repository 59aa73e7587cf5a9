#pragma once

#include <string>
#include <vector>

#include "simulator/audit/audited_run.hpp"

namespace factosim::audit {

/// The workers that a platform's nodes have, and what kernels last on them, worked out from the descriptions
/// alone: GPUs first, then the cores that drive no GPU, handle no messages and are not reserved.
class ExpectedMachine {
 public:
  struct Worker {
    std::string name;
    std::size_t memory;  // within the node: RAM or NUMA nodes, then GPUs
    bool gpu, spare;     // spare: one more than there are cores
  };

  explicit ExpectedMachine(AuditedRun const& run);

  [[nodiscard]] std::vector<Worker> const& workers(NodeId node) const {
    return types_[run_.platform.nodes[node.index()]].workers;
  }
  /// Null where the kernel cannot run on that worker of the node, or takes no time.
  [[nodiscard]] KernelTiming const* timing(NodeId node, std::size_t kernel, std::size_t worker) const {
    return type(node).timings[kernel * type(node).workers.size() + worker];
  }
  /// Seconds; infinity where it cannot run there.
  [[nodiscard]] double mean_s(NodeId node, std::size_t kernel, std::size_t worker) const {
    return type(node).means[kernel * type(node).workers.size() + worker];
  }
  /// On the fastest worker of the node.
  [[nodiscard]] double min_s(NodeId node, std::size_t kernel) const;

 private:
  struct Type {
    std::vector<Worker> workers;
    std::vector<double> means;                 // [kernels][workers]
    std::vector<KernelTiming const*> timings;  // [kernels][workers]
  };
  [[nodiscard]] Type const& type(NodeId node) const { return types_[run_.platform.nodes[node.index()]]; }
  void add_workers(Type& type, NodeType const& described) const;
  void add_means(Type& type, KernelModel const& model) const;

  AuditedRun const& run_;
  std::vector<Type> types_;
};

}  // namespace factosim::audit
