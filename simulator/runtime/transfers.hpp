#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/bus_streams.hpp"
#include "simulator/runtime/copy_prediction.hpp"
#include "simulator/runtime/data_client.hpp"
#include "simulator/runtime/gpu_allocation.hpp"
#include "simulator/runtime/proactive_eviction.hpp"
#include "simulator/runtime/replica_states.hpp"
#include "simulator/runtime/transfer_queue.hpp"
#include "simulator/runtime/transfer_requests.hpp"

namespace factosim {

/// Carries out the requests for copies between the memory nodes of one node. The driver of the GPU that a
/// copy goes to, or comes from when it goes to RAM, handles the request: it starts copies within the limits
/// of its queue, and completes those that have ended. Copies between NUMA nodes need no driver and start as
/// soon as the limits allow; but out of core all copies to a RAM, and from there to the disk, are handled by the
/// drivers that make the transfers of that RAM progress. Source: StarPU 1.4 `data_request.c`, `datawizard.c`.
class Transfers {
 public:
  /// All references must outlive this.
  Transfers(NodeType const& type, RuntimeOptions const& options, ReplicaStates& states, GpuAllocation& gpus,
            CopyPrediction const& prediction, DataClient& client);

  /// Requests a copy, in two hops through RAM if there is no direct route.
  void request(TransferRequest request);
  /// Requests a copy to RAM for when the bus is idle, unless there is one there or on the disk.
  void copy_to_ram_when_idle(LocalReplica replica);
  /// RAM may have room for requests that found none: their drivers try again.
  void room_freed() {
    if (waits_for_room_) wake_those_without_room();
  }
  /// Makes a request of a task as urgent as a fetch.
  void promote(RequestId id);
  void cancel(RequestId id);
  /// Lets a task write the copy once no request for the replica is left, and then calls the waiter. A
  /// prefetch, for which nothing waits, leaves the other copies valid if there are requests.
  void grant_write(LocalReplica replica, LocalMemory memory, Waiter waiter);
  [[nodiscard]] TransferRequests& requests() { return requests_; }
  [[nodiscard]] TransferRequests const& requests() const { return requests_; }

  // ---- for drivers ----

  /// A request whose copy the driver submits to the bus once it has prepared it.
  struct Step {
    RequestId request;
    GpuAllocation::Source source;  // of the memory for it
  };
  /// Handles requests of the driver until one needs a copy; nothing if no copy can be started.
  std::optional<Step> next_step(LocalMemory memory);
  /// Evicts a copy from a GPU ahead of need, or requests its write-back. Returns the time that the driver spends on
  /// freeing memory; nothing if it frees none.
  std::optional<Seconds> evict_ahead(LocalMemory memory);
  /// The driver has put the copy on its stream.
  void submit(RequestId request);
  /// The bus has carried the copy; the driver completes it in its next round.
  void copy_ended(RequestId request);
  /// Completes the copies that have ended. Returns whether there were any.
  bool complete_ended(LocalMemory memory);

 private:
  struct BlockedWriter {
    LocalReplica replica;
    LocalMemory memory;
    Waiter waiter;
  };
  /// End of a request: its own copy has arrived or was not needed, or the copy of another request has
  /// arrived.
  enum class Ends : std::uint8_t { by_itself, with_another };

  [[nodiscard]] bool goes_out(TransferRequest const& r) const {
    if (states_.is_disk(r.to) || states_.is_disk(r.from)) return states_.is_disk(r.to);
    return states_.is_ram(r.to) && !states_.is_ram(r.from);
  }
  /// Returns whether drivers handle the requests of that memory node's queue.
  [[nodiscard]] bool has_driver(LocalMemory memory) const {
    return !states_.is_ram(memory) || states_.has_disk();
  }
  /// The memory node whose driver handles the request.
  [[nodiscard]] LocalMemory driver_of(TransferRequest const& r) const { return goes_out(r) ? r.from : r.to; }
  [[nodiscard]] TransferQueue& queue_of(TransferRequest const& r) { return queues_[driver_of(r).index()]; }
  [[nodiscard]] std::size_t lane_of(TransferRequest const& r) const {
    return goes_out(r) ? states_.memory_nodes() : r.from.index();
  }

  RequestId add(TransferRequest const& request);
  void queue(RequestId id);
  void complete(RequestId id, Ends how);
  void unblock_writer(LocalReplica replica);
  /// Starts the request, or completes it if it needs no copy. Returns where the memory for its copy comes
  /// from; nothing if the request is done.
  std::optional<GpuAllocation::Source> handle(RequestId id);
  std::optional<Step> step_from(TransferQueue& queue, std::size_t lane, Urgency urgency);
  void write_back_to_make_room(LocalMemory memory, Urgency urgency);
  void start_between_rams();
  void write_back_when_idle(LocalReplica replica, LocalMemory to);
  void wake_those_without_room();

  NodeType const& type_;
  ReplicaStates& states_;
  GpuAllocation& gpus_;
  ProactiveEviction ahead_;
  Seconds free_cost_;
  CopyPrediction const& prediction_;
  DataClient& client_;
  BusStreams streams_;
  TransferRequests requests_;
  std::vector<TransferQueue> queues_;           // [memory nodes]
  std::vector<BlockedWriter> blocked_writers_;  // wait until no request is left for the replica
  std::vector<BusStreams::Copy> startable_;     // scratch
  std::vector<LocalReplica> to_write_back_;     // scratch
  std::vector<bool> without_room_;              // [memory nodes] a request of its queue found no RAM
  bool waits_for_room_ = false;                 // one of these
  bool starting_between_rams_ = false;          // see start_between_rams
  bool more_between_rams_ = false;
  bool out_of_memory_ = false;  // scratch: a request found no memory in this round
  std::uint32_t next_ticket_ = 0;
};

}  // namespace factosim
