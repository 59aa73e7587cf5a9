#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// The workers and memory nodes of a run: those that executed tasks or are named by the source.
class WorkerNames {
 public:
  /// Classifies workers without a name by the memory of their data: StarPU numbers GPUs first, and each has
  /// its own memory, so a worker whose memory is not the RAM and whose number is below all workers of the RAM
  /// is a GPU. Adds a finding to `run` if that was needed.
  explicit WorkerNames(StarpuRun& run);

  [[nodiscard]] WorkerId of(std::uint32_t node, std::int32_t worker) const;
  /// Returns the worker of the resource; an invalid id if it is not a worker.
  [[nodiscard]] WorkerId of_resource(std::uint32_t resource) const { return worker_of_resource_[resource]; }
  [[nodiscard]] MemoryNodeId memory(std::uint32_t node, std::int32_t memory) const;

  std::vector<Trace::Node> nodes;
  std::vector<Trace::MemoryNode> memory_nodes;
  std::vector<Trace::Worker> workers;

 private:
  std::map<std::pair<std::uint32_t, std::int32_t>, WorkerId> by_id_;
  std::map<std::pair<std::uint32_t, std::int32_t>, MemoryNodeId> memory_by_id_;
  std::vector<WorkerId> worker_of_resource_;
};

}  // namespace factosim
