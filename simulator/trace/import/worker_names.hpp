#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// The workers and memory nodes of a run: those that ran tasks, and those that the source names.
class WorkerNames {
 public:
  /// Workers without a name are told apart by where their data is: StarPU numbers GPUs first, and each has a
  /// memory of its own, so that one whose memory is not the RAM's and whose number is below all of those at
  /// the RAM is a GPU. Adds a finding to `run` where that was needed.
  explicit WorkerNames(StarpuRun& run);

  [[nodiscard]] WorkerId of(std::uint32_t node, std::int32_t worker) const;
  /// Of the resource; invalid for one that is no worker.
  [[nodiscard]] WorkerId of_resource(std::uint32_t resource) const { return worker_of_resource_[resource]; }
  [[nodiscard]] MemoryNodeId memory(std::uint32_t node, std::int32_t memory) const;

  std::vector<Trace::Node> nodes;
  std::vector<Trace::MemoryNode> memory_nodes;
  std::vector<Trace::Worker> workers;

 private:
  struct Known {
    std::string name;
    Trace::Device device = Trace::Device::cpu;
    std::int32_t id = -1;      // by the source's number
    std::int32_t memory = -1;  // by the source's number
  };
  using OfNode = std::vector<Known>;

  void collect(StarpuRun const& run);
  [[nodiscard]] bool name_the_rest(OfNode& of_node) const;
  void number(StarpuRun const& run);
  /// GPUs first, each with its memory; and what these memories are called.
  std::map<std::int32_t, std::string> order(OfNode& of_node) const;
  void add_node(std::uint32_t node, std::string const& name,
                std::map<std::int32_t, std::string> const& memories);
  std::int32_t memory_of(Known const& worker, OfNode const& of_node) const;

  std::map<std::uint32_t, OfNode> known_;
  std::map<std::pair<std::uint32_t, std::int32_t>, WorkerId> by_id_;
  std::map<std::pair<std::uint32_t, std::int32_t>, MemoryNodeId> memory_by_id_;
  std::vector<WorkerId> worker_of_resource_;
};

}  // namespace factosim
