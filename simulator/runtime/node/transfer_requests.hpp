#pragma once

#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/node/data_client.hpp"
#include "simulator/runtime/node/replica_states.hpp"

namespace factosim {

enum class Urgency : std::uint8_t { fetch, prefetch, idle };

/// A request to have a valid copy of a replica on a memory node.
struct TransferRequest {
  LocalReplica replica;
  TaskId task{};  // the task it is for, if any
  std::int32_t priority = 0;
  std::uint32_t reservations = 0;  // tasks that the copy is reserved for
  LocalMemory from, to;            // equal: only memory is needed
  Urgency urgency = Urgency::fetch;
  bool writes = false;  // the task will write the copy: all others become invalid
  bool canceled = false;
  bool holds_source = true;  // pins the copy at its source from the start; else only while it moves
  bool queued = false;       // in its driver's queue
  bool moving = false;       // started: its copy is pinned at the destination
  bool attached = false;     // ends with another one that loads the same copy
  Waiter waiter{};
  std::uint32_t ticket = 0;     // of its last queuing; an item of a queue with another ticket is void
  RequestId next_on_copy{};     // in the list of the requests for the same copy
  RequestId first_dependent{};  // requests for the same copy that end with this one
  RequestId next_dependent{};
  RequestId second_hop{};  // queued when this one has ended
};

/// The pending transfer requests of one node, and which of them are for which copy.
class TransferRequests {
 public:
  explicit TransferRequests(ReplicaStates const& states)
      : states_(states),
        first_(states.replicas() * states.memory_nodes()),
        loading_(first_.size()),
        count_(states.replicas(), 0) {}

  /// Makes room for the requests for one more replica; no effect if there are so many.
  void add_replica(LocalReplica replica) {
    if (replica.index() < count_.size()) return;
    count_.resize(replica.index() + 1, 0);
    first_.resize(count_.size() * states_.memory_nodes());
    loading_.resize(first_.size());
  }

  [[nodiscard]] TransferRequest& operator[](RequestId id) { return pool_[id]; }
  [[nodiscard]] TransferRequest const& operator[](RequestId id) const { return pool_[id]; }

  RequestId add(TransferRequest const& request);
  void remove(RequestId id);
  /// Makes a request end with the one that brings the same copy.
  void attach(RequestId dependent);

  /// Returns the request of the task for the copy that is not canceled; an invalid id without one.
  [[nodiscard]] RequestId find(LocalReplica replica, LocalMemory memory, TaskId task) const;
  /// Returns a request that a need of the task for the copy from there can share: one of the same task, or of none, that is
  /// not canceled nor ends with another, and for which nothing waits; an invalid id without one. An invalid task shares
  /// those of all tasks.
  /// Source: coherency.c, _starpu_search_existing_data_request.
  [[nodiscard]] RequestId find_shared(LocalReplica replica, LocalMemory from, LocalMemory to,
                                      TaskId task) const;
  /// Returns a request for a copy of the replica that waits in a queue; an invalid id without one.
  [[nodiscard]] RequestId queued(LocalReplica replica) const {
    RequestId found;
    for_each(replica, [&](RequestId id) { found = pool_[id].queued ? id : found; });
    return found;
  }
  /// Returns whether there is a request for the copy.
  [[nodiscard]] bool any(LocalReplica replica, LocalMemory memory) const {
    return first_[states_.copy_index(replica, memory)].valid();
  }
  /// Returns the started request that brings the copy; an invalid id without one.
  [[nodiscard]] RequestId& loading(LocalReplica replica, LocalMemory memory) {
    return loading_[states_.copy_index(replica, memory)];
  }
  [[nodiscard]] bool is_loading(LocalReplica replica, LocalMemory memory) const {
    return loading_[states_.copy_index(replica, memory)].valid();
  }
  /// Calls `use(id)` for each request for a copy of the replica; `use` may not remove it.
  template <class Use>
  void for_each(LocalReplica replica, Use const& use) const {
    for (std::size_t m = 0; m < states_.memory_nodes(); ++m)
      for (RequestId id = first_[states_.copy_index(replica, LocalMemory{m})]; id.valid();
           id = pool_[id].next_on_copy)
        use(id);
  }
  /// Returns the requests that meet the condition, by replica.
  template <class Condition>
  [[nodiscard]] std::vector<RequestId> all(Condition const& condition) const {
    std::vector<RequestId> out;
    for (std::size_t r = 0; r < count_.size(); ++r)
      if (count_[r] > 0)
        for_each(LocalReplica{r}, [&](RequestId id) {
          if (condition(pool_[id])) out.push_back(id);
        });
    return out;
  }
  /// Returns the number of requests for copies of the replica.
  [[nodiscard]] std::uint32_t count(LocalReplica replica) const { return count_[replica.index()]; }

 private:
  ReplicaStates const& states_;
  IdPool<RequestId, TransferRequest> pool_;
  std::vector<RequestId> first_;      // [copies] list of the requests for the copy
  std::vector<RequestId> loading_;    // [copies] the started request that brings it
  std::vector<std::uint32_t> count_;  // [replicas] requests for its copies
};

}  // namespace factosim
