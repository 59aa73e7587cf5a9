#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/runtime/node/host_memory.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

/// The advice of error messages about a node without enough RAM.
inline constexpr std::string_view memory_advice =
    "Use more nodes, a distribution that gives this one less data, or a smaller problem; or set "
    "runtime/out_of_core, so that its disk holds what the RAM cannot";

/// Returns `has a RAM of 192 GB (KEY`, with the key that says so; for such messages. `options`: of the run.
[[nodiscard]] std::string stated_ram(NodeType const& type, RuntimeOptions const& options);

/// The replicas of one node: which it has, how often each will still be used, and how many bytes of RAM they
/// take. Each takes RAM as long as the node has it; but out of core RAM is allocated copy by copy.
class RamUsage {
 public:
  RamUsage(NodeId node, SimulationInputs const& inputs, Engine const& engine, RunObserver& observer);

  /// Adds a replica beside those of the plan, which is used as often; 0: it stays. A removed one leaves its number to
  /// another once `may_leave(replica)`. O(1) amortised.
  template <class MayLeave>
  [[nodiscard]] LocalReplica add_replica(HandleId handle, std::uint32_t uses, MayLeave const& may_leave) {
    LocalReplica replica = unused_number(may_leave);
    if (replica.valid()) {
      observer_.replica_replaced(node_, replica);
    } else {
      replica = LocalReplica{uses_.size()};
      added_.emplace_back();
      uses_.emplace_back();
    }
    added_[replica.index() - planned_.size()] = handle;
    uses_[replica.index()] = {.left = uses, .owned = uses == 0, .present = false, .in_receive_buffer = false};
    return replica;
  }
  [[nodiscard]] bool was_added(LocalReplica replica) const { return replica.index() >= planned_.size(); }
  [[nodiscard]] HandleId handle_of(LocalReplica replica) const {
    return was_added(replica) ? added_[replica.index() - planned_.size()] : planned_[replica.index()].handle;
  }

  /// Makes room for a replica that a task is about to create, if it has none yet. Returns how long the task's
  /// worker is busy with that. Throws InfeasibleError if the RAM is full and tiles must fit.
  Seconds reserve(LocalReplica replica);
  /// A message has brought the replica. Throws as `reserve`.
  void receive(LocalReplica replica);
  /// A message has brought the replica once more, after its first content had been flushed.
  void receive_again(LocalReplica replica);
  /// Returns whether accesses or messages will use the replica.
  [[nodiscard]] bool is_needed(LocalReplica replica) const { return uses_[replica.index()].left > 0; }
  /// Counts one use less. Returns true if nothing needs the replica any more and it does not stay.
  [[nodiscard]] bool release_use(LocalReplica replica);
  /// Gives the RAM of such a replica back, if it has any.
  void remove(LocalReplica replica);

  /// Out of core: a copy in RAM was allocated or released.
  void allocated(LocalReplica replica) { change_bytes(size_of(replica).value); }
  void released(LocalReplica replica) { change_bytes(-size_of(replica).value); }

  [[nodiscard]] HostMemory& host_memory() { return host_memory_; }
  [[nodiscard]] HostMemory const& host_memory() const { return host_memory_; }
  [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }
  /// By how much the peak exceeds the RAM; 0 where it fits.
  [[nodiscard]] std::int64_t excess_bytes() const;

 private:
  struct Use {
    std::uint32_t left;      // accesses, and messages from a replica that does not stay
    bool owned;              // it stays
    bool present;            // the node has it
    bool in_receive_buffer;  // a message has brought it
  };

  /// Returns the number of a removed replica that may leave it; an invalid id if none was found.
  template <class MayLeave>
  [[nodiscard]] LocalReplica unused_number(MayLeave const& may_leave) {
    while (!unused_.empty()) {
      LocalReplica const replica = unused_.back();
      unused_.pop_back();
      if (may_leave(replica)) return replica;
      staying_.push_back(replica);
    }
    if (staying_.empty()) return {};
    LocalReplica const oldest = staying_.front();
    staying_.pop_front();
    if (may_leave(oldest)) return oldest;
    staying_.push_back(oldest);
    return {};
  }
  [[nodiscard]] Bytes size_of(LocalReplica replica) const {
    return inputs_.graph.handles[handle_of(replica).index()].size;
  }
  void add(LocalReplica replica);
  void take_place(LocalReplica replica);
  void change_bytes(std::int64_t by);
  [[noreturn]] void fail_without_memory() const;

  NodeId node_;
  SimulationInputs const& inputs_;
  Engine const& engine_;
  RunObserver& observer_;
  HostMemory host_memory_;
  std::span<Replica const> planned_;  // of this node
  std::vector<HandleId> added_;       // beside those, as far as there were any at one time
  std::vector<LocalReplica> unused_;  // numbers of added replicas that have been removed
  std::deque<LocalReplica> staying_;  // the same; they could not leave them when they were asked for
  std::vector<Use> uses_;             // [local replicas]
  std::int64_t bytes_in_use_ = 0;
  std::int64_t peak_bytes_ = 0;
  bool by_copy_;            // out of core
  std::int64_t max_bytes_;  // limit of `peak_bytes_`
};

}  // namespace factosim
