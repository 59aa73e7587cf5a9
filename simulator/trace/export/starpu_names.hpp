#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Names of the objects of a trace in StarPU and StarVZ.
class StarpuNames {
 public:
  /// With `ranks`, every name begins with its node's number, even for a single node.
  StarpuNames(Trace const& trace, bool ranks);

  /// "0_CPU3", "0_CUDA1_0"; without ranks "CPU3".
  [[nodiscard]] std::string const& worker(WorkerId w) const { return worker_[w.index()]; }
  /// Within its node.
  [[nodiscard]] std::uint32_t worker_number(WorkerId w) const { return worker_number_[w.index()]; }
  [[nodiscard]] std::uint32_t memory_number(MemoryNodeId m) const { return memory_number_[m.index()]; }
  [[nodiscard]] std::string memory_manager(MemoryNodeId m) const;
  /// "0_17"; without ranks "17". Tasks without a number of their own are numbered in trace order.
  [[nodiscard]] std::string job(TaskId t) const;
  [[nodiscard]] std::string job(NodeId node, std::uint32_t number) const {
    return prefix(node) + std::to_string(number);
  }
  /// Node that executed the task; the first node if unknown.
  [[nodiscard]] NodeId node_of(TaskId t) const;
  /// "0_", or nothing.
  [[nodiscard]] std::string prefix(NodeId node) const;
  /// Address by which StarPU identifies a handle: the source's address, or the handle's number from 1. All
  /// nodes have the same ones.
  [[nodiscard]] std::uint64_t address(HandleId h) const;
  /// MPI tag, which identifies a handle between nodes: that of the source, or a number where the source has
  /// tags of some handles only. Negative: a run on one node has none.
  [[nodiscard]] std::int64_t tag(HandleId h) const;

 private:
  Trace const& trace_;
  bool ranks_;
  bool own_tags_, own_addresses_;             // whether those of the source identify the handles
  std::vector<std::string> worker_;           // [workers]
  std::vector<std::uint32_t> worker_number_;  // [workers]
  std::vector<std::uint32_t> memory_number_;  // [memory nodes]
};

/// Returns StarPU's name of an access: "R", "W", "RW".
[[nodiscard]] char const* starpu_mode(Access mode);

}  // namespace factosim
