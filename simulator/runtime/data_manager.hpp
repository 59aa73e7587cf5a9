#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/bus_streams.hpp"
#include "simulator/runtime/gpu_memory.hpp"
#include "simulator/runtime/replica_states.hpp"
#include "simulator/runtime/transfer_requests.hpp"

namespace factosim {

/// What the data manager asks of its node.
class DataClient {
 public:
  virtual ~DataClient() = default;
  virtual void data_arrived(Waiter waiter) = 0;
  /// The driver of that GPU memory should make another round.
  virtual void wake_driver(std::uint32_t memory) = 0;
  virtual void start_copy(std::uint32_t request, std::uint32_t from, std::uint32_t to,
                          std::uint32_t replica) = 0;
  /// The replica has its place in that GPU's memory from now on, or no longer.
  virtual void place_changed(std::uint32_t replica, std::uint32_t memory, bool taken) = 0;
};

/// Keeps the replicas of one node with GPUs coherent over its memory nodes: requests, their queues and
/// limits, memory of the GPUs, eviction. A request is handled by the driver of the GPU it goes to, or comes
/// from when it goes to RAM; the source is chosen when the request is made. Source: StarPU 1.4 `coherency.c`,
/// `data_request.c`, `memalloc.c`.
class DataManager {
 public:
  /// `sizes[r]`, `owned[r]`: of the node's replicas.
  DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& owned,
              RuntimeOptions const& options, DataClient& client);

  // ---- asked by workers and messages ----

  /// Wants the replica in `memory` for a task (or for a message: no task), pins it there. True when it is
  /// there already; else the waiter is told.
  bool fetch(TaskId task, std::uint32_t replica, std::uint32_t memory, Access access, std::int32_t priority,
             Waiter waiter);
  /// The same ahead of time: no pin, nobody waits; but prefetches for other tasks do not evict it until
  /// `redeem`.
  void prefetch(TaskId task, std::uint32_t replica, std::uint32_t memory, Access access,
                std::int32_t priority);
  /// Nothing on the node will use the replica any more: it goes to RAM when the bus has nothing better to do,
  /// and is evicted first.
  void wont_use(std::uint32_t replica);
  /// The task, or the message, that fetched it there has done with it.
  void unpin(std::uint32_t replica, std::uint32_t memory) {
    being_written_[replica] = false;
    states_.unpin(replica, memory);
  }
  /// A message brought the replica into memory node 0.
  void received(std::uint32_t replica) { states_.make_valid(replica, 0, true); }
  /// Nothing on this node needs the replica any more.
  void forget(std::uint32_t replica);
  /// A task whose inputs were prefetched has them all.
  void redeem(std::uint32_t replica, std::uint32_t memory) { states_.redeem(replica, memory); }

  // ---- asked by policies ----

  /// Predicted time to bring the replica there, in seconds; 0 where it is valid or already asked for.
  [[nodiscard]] double predict(std::uint32_t replica, std::uint32_t memory) const;
  [[nodiscard]] bool valid(std::uint32_t replica, std::uint32_t memory) const {
    return states_.valid(replica, memory);
  }
  [[nodiscard]] bool allocated(std::uint32_t replica, std::uint32_t memory) const {
    return states_.allocated(replica, memory);
  }
  [[nodiscard]] bool loading(std::uint32_t replica, std::uint32_t memory) const {
    return loading_[copy_index(replica, memory)] != TransferRequest::none;
  }

  // ---- driven by the GPU drivers ----

  struct Step {
    std::uint32_t request = TransferRequest::none;  // to submit to the bus once the driver has spent its time
    bool allocates = false;                         // a call to the GPU's allocator is needed first
    bool frees = false;                             // and before that one to give memory back
  };
  /// Handles requests of that driver until one needs a copy; none when there is nothing left to start.
  std::optional<Step> next_step(std::uint32_t memory);
  /// The driver has put the copy on its stream.
  void submit(std::uint32_t request);
  /// The bus has carried the copy; its driver will notice in its next round.
  void copy_ended(std::uint32_t request);
  /// Completes the copies that have ended. Returns whether there were any.
  bool complete_ended(std::uint32_t memory);

  [[nodiscard]] GpuMemory const& gpu_memory(std::uint32_t memory) const { return memories_[memory]; }

 private:
  static constexpr std::uint32_t none = TransferRequest::none;
  static constexpr std::size_t urgencies = 3;

  /// The lists of one driver: one per peer for what comes in, a last one for what goes out to RAM.
  struct Driver {
    std::vector<std::array<RequestQueue, urgencies>> queues;
    std::vector<int> pending;          // [queues] copies under way
    std::vector<std::uint32_t> ended;  // copies to complete
    std::uint32_t reclaimed = none;    // the replica that was last written back to make room
  };

  [[nodiscard]] std::size_t copy_index(std::uint32_t replica, std::uint32_t memory) const {
    return replica * states_.memory_nodes() + memory;
  }
  [[nodiscard]] bool is_ram(std::uint32_t memory) const { return memory < rams_; }
  /// The memory whose driver handles the request. Those between NUMA nodes need none: they are started as
  /// soon as their limits allow.
  [[nodiscard]] std::uint32_t driver_of(TransferRequest const& r) const {
    return is_ram(r.to) && !is_ram(r.from) ? r.from : r.to;
  }
  [[nodiscard]] std::size_t queue_of(TransferRequest const& r) const {
    return is_ram(r.to) && !is_ram(r.from) ? states_.memory_nodes() : r.from;
  }
  [[nodiscard]] double predicted_copy(std::uint32_t from, std::uint32_t to, Bytes size) const;
  [[nodiscard]] std::uint32_t cheapest_source(std::uint32_t replica, std::uint32_t memory) const;
  [[nodiscard]] std::uint32_t find_request(std::uint32_t replica, std::uint32_t memory, TaskId task) const;

  std::uint32_t create(TransferRequest request);
  void request_copy(TransferRequest wish);
  void queue(std::uint32_t id);
  void promote(std::uint32_t id, Urgency urgency);
  void complete(std::uint32_t id, bool by_itself = true);
  void cancel(std::uint32_t id);
  void remove_from_copy(std::uint32_t id);
  void satisfy(std::uint32_t replica, std::uint32_t memory, bool writes, Waiter waiter);

  enum class Handled : std::uint8_t { done, copy, copy_after_allocation, copy_after_free, no_memory };
  /// Where memory for a copy comes from: kept or another copy's; given back to the GPU and allocated anew,
  /// since it had to be written back first; the GPU's allocator; nowhere yet.
  enum class Room : std::uint8_t { reused, freed, allocated, none };
  Handled handle(std::uint32_t id);
  /// Starts what may start between NUMA nodes, at once.
  void start_between_rams();
  std::optional<Step> step_from(Driver& driver, std::size_t queue, Urgency urgency);
  Room allocate(std::uint32_t memory, Bytes size, Urgency urgency);
  Room evict_one(std::uint32_t memory, Urgency urgency);
  void copy_to_ram_when_idle(std::uint32_t replica);
  /// Keeps some copies of that GPU memory clean.
  void tidy(std::uint32_t memory);
  void write_back(std::uint32_t replica, std::uint32_t memory, Urgency urgency);

  NodeType const& type_;
  std::uint32_t rams_;
  RuntimeOptions const& options_;
  DataClient& client_;
  std::vector<Bytes> sizes_;
  ReplicaStates states_;
  BusStreams streams_;
  std::vector<GpuMemory> memories_;        // [memory nodes]; not used for RAM
  std::vector<Driver> drivers_;            // [memory nodes]
  std::vector<TransferRequest> requests_;  // pool
  std::vector<std::uint32_t> free_requests_;
  std::vector<std::uint32_t> requests_on_;    // [copies] first request for that copy
  std::vector<std::uint32_t> loading_;        // [copies] the request that brings it
  std::vector<std::uint32_t> request_count_;  // [replicas]
  std::vector<bool> being_written_;           // [replicas] whether a task holds it that will write it
  struct BlockedWriter {
    std::uint32_t replica, memory;
    Waiter waiter;
  };
  std::vector<BlockedWriter> blocked_writers_;  // wait until nobody reads or moves the replica
  std::vector<BusStreams::Copy> startable_;     // scratch
  std::vector<std::uint32_t> to_write_back_;    // scratch
  bool starting_between_rams_ = false;          // see start_between_rams
  bool more_between_rams_ = false;
  bool out_of_memory_ = false;  // scratch: a request found no memory in this round
  std::uint32_t next_ticket_ = 0;
};

}  // namespace factosim
