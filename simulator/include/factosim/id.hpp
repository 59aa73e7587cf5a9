#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace factosim {

/// An index into one kind of array: ids of different kinds do not mix. A default id means "none".
template <class Tag>
class Id {
 public:
  using value_type = std::uint32_t;
  static constexpr value_type none = std::numeric_limits<value_type>::max();

  constexpr Id() = default;
  template <class Integer>
  constexpr explicit Id(Integer value) : value_(static_cast<value_type>(value)) {}

  [[nodiscard]] constexpr bool valid() const { return value_ != none; }
  [[nodiscard]] constexpr value_type value() const { return value_; }
  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  constexpr auto operator<=>(Id const&) const = default;

 private:
  value_type value_ = none;
};

using NodeId = Id<struct NodeTag>;              ///< a machine of the cluster
using WorkerId = Id<struct WorkerTag>;          ///< a core or a GPU, numbered over the whole cluster
using MemoryNodeId = Id<struct MemoryNodeTag>;  ///< a RAM or a GPU memory, numbered over the whole cluster
using TaskId = Id<struct TaskTag>;              ///< of one task graph
using HandleId = Id<struct HandleTag>;          ///< a tile (or any piece of data a task accesses)
using KernelId = Id<struct KernelTag>;          ///< a kind of task within one task graph
using EdgeId = Id<struct EdgeTag>;              ///< a dependency: an index into TaskGraph::successors
using ReplicaId = Id<struct ReplicaTag>;        ///< a handle's data on one node, numbered over the plan
using MessageId = Id<struct MessageTag>;        ///< an output of a task on its way to one node
using BroadcastId = Id<struct BroadcastTag>;    ///< messages with one output that several nodes send
using TransferId = Id<struct TransferTag>;      ///< a transfer that the network carries

// Within one node
using LocalWorker = Id<struct LocalWorkerTag>;    ///< a worker of a node: its GPUs first, then its cores
using LocalMemory = Id<struct LocalMemoryTag>;    ///< a memory node of a node: RAM first, then the GPUs
using LocalReplica = Id<struct LocalReplicaTag>;  ///< a replica of the execution plan, numbered in its node
using RequestId = Id<struct RequestTag>;          ///< a request for a copy inside a node

}  // namespace factosim

template <class Tag>
struct std::hash<factosim::Id<Tag>> {
  std::size_t operator()(factosim::Id<Tag> id) const noexcept { return id.value(); }
};
