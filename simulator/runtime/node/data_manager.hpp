#pragma once

#include <vector>

#include "factosim/platform.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/runtime/node/copy_prediction.hpp"
#include "simulator/runtime/node/data_client.hpp"
#include "simulator/runtime/node/gpu_allocation.hpp"
#include "simulator/runtime/node/replica_states.hpp"
#include "simulator/runtime/node/transfers.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Keeps the copies of the replicas of one node coherent over its memory nodes: a task or a message that
/// needs a copy fetches it, and what it writes makes all other copies invalid. The source of a copy is chosen
/// when it is requested. Source: StarPU 1.4 `coherency.c`.
class DataManager {
 public:
  /// `sizes[r]`, `initial[r]`: size of each replica of the node, and whether it is in memory node 0 at the
  /// start.
  DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& initial,
              RuntimeOptions const& options, EvictionPolicy* eviction, DataClient& client);

  /// Adds a replica that has no copy, under a new number or that of one that has been forgotten and that nothing `uses`.
  void add_replica(LocalReplica replica, Bytes size);
  /// Returns whether a request or a copy in progress uses the replica, also when it has been forgotten.
  [[nodiscard]] bool uses(LocalReplica replica) const {
    return states_.held(replica) || transfers_.requests().count(replica) > 0;
  }

  struct Need {
    TaskId task;  // invalid: a message
    LocalReplica replica;
    LocalMemory memory;
    Access access;
    std::int32_t priority;
  };
  /// Requests the copy and pins it. Returns true if it is valid already; else the waiter is called later.
  bool fetch(Need const& need, Waiter waiter);
  /// Requests the copy ahead of time: it is not pinned, and nothing waits for it. It is reserved for the
  /// task: prefetches for other tasks do not evict it until `release_reservation`.
  void prefetch(Need const& need);
  void release_reservation(LocalReplica replica, LocalMemory memory) {
    states_.release_reservation(replica, memory);
  }
  /// No task of the node will use the replica any more: it is copied to RAM when the bus is idle, and evicted
  /// first.
  void wont_use(LocalReplica replica);
  /// The task or message that fetched the copy needs it no longer.
  void unpin(LocalReplica replica, LocalMemory memory) {
    states_.end_write(replica);
    states_.unpin(replica, memory);
    transfers_.room_freed();
  }
  /// A task that reads or writes the replica is ready.
  void accessed(LocalReplica replica, Access access) { states_.accessed(replica, writes(access)); }
  /// Returns whether a GPU's memory has been full: from then on the rules of StarPU's memory management that matter only
  /// then are in force.
  [[nodiscard]] bool is_memory_short() const { return states_.is_memory_short(); }
  /// A message brought the replica into that memory: the first RAM, or one of a GPU that `make_room` has allocated.
  void received(LocalReplica replica, LocalMemory memory);
  /// Allocates unused memory for a copy that a message will bring; none: there is no room.
  GpuAllocation::Source make_room(LocalReplica replica, LocalMemory memory);
  /// A message reads the copy: it is not evicted until `let_go`.
  void hold(LocalReplica replica, LocalMemory memory) { states_.pin(replica, memory); }
  void let_go(LocalReplica replica, LocalMemory memory) {
    states_.unpin(replica, memory);
    transfers_.room_freed();
  }
  /// Out of core: puts the replicas that exist at the start into RAM, as far as it has room, or on the disk.
  void place_initial(std::vector<bool> const& initial, bool on_disk);
  /// The node needs the replica no longer.
  void forget(LocalReplica replica);

  // ---- for policies ----

  /// Predicted time to bring the replica there; 0 if it is valid or requested there.
  [[nodiscard]] Seconds predict(LocalReplica replica, LocalMemory memory) const;
  [[nodiscard]] bool present(LocalReplica replica, LocalMemory memory) const {
    return states_.valid(replica, memory) || transfers_.requests().any(replica, memory);
  }
  [[nodiscard]] ReplicaStates const& states() const { return states_; }
  /// Returns whether a started request brings the copy.
  [[nodiscard]] bool loading(LocalReplica replica, LocalMemory memory) const {
    return transfers_.requests().is_loading(replica, memory);
  }

  [[nodiscard]] Transfers& transfers() { return transfers_; }
  bool spare_chunks() { return gpus_.spare_chunks(); }

 private:
  /// Returns a request for the copy that the need of the task shares; an invalid id without one.
  [[nodiscard]] RequestId own_request(Need const& need) const;

  std::vector<Bytes> sizes_;
  ReplicaStates states_;
  GpuAllocation gpus_;
  CopyPrediction prediction_;
  Transfers transfers_;
};

}  // namespace factosim
