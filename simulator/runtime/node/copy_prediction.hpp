#pragma once

#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "simulator/runtime/node/replica_states.hpp"

namespace factosim {

/// The runtime's prediction of a copy between two memory nodes of a node: latency + size / bandwidth *
/// `sharing`, through memory node 0 where there is no direct route. `sharing`: among how many copies the
/// bandwidth is assumed to be divided.
[[nodiscard]] Seconds predicted_copy_time(NodeType const& type, LocalMemory from, LocalMemory to, Bytes size,
                                          double sharing = 1);

/// Among how many copies StarPU assumes the bus to be divided: those of all GPUs, in both directions (`perfmodel_bus.c`).
[[nodiscard]] double assumed_sharing(NodeType const& type);

/// Predicts copies of the replicas of one node, with the assumed sharing, and chooses their sources.
class CopyPrediction {
 public:
  /// `sizes`: of the node's replicas. All references must outlive this.
  CopyPrediction(NodeType const& type, std::vector<Bytes> const& sizes, ReplicaStates const& states);

  [[nodiscard]] Seconds time(LocalReplica replica, LocalMemory from, LocalMemory to) const {
    return predicted_copy_time(type_, from, to, sizes_[replica.index()], sharing_);
  }
  /// The memory node with a valid copy from where the predicted time is least.
  [[nodiscard]] LocalMemory cheapest_source(LocalReplica replica, LocalMemory to) const;

 private:
  NodeType const& type_;
  std::vector<Bytes> const& sizes_;
  ReplicaStates const& states_;
  double sharing_;
};

}  // namespace factosim
