#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "simulator/runtime/node/copy_prediction.hpp"
#include "simulator/runtime/node/data_client.hpp"
#include "simulator/runtime/node/gpu_allocation.hpp"
#include "simulator/runtime/node/replica_states.hpp"
#include "simulator/runtime/node/transfer_queue.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The order that the streams of a GPU runtime impose on the copies inside one node. Two copies run one after
/// the other when they have the same source and destination, when they are GPU to GPU in opposite directions,
/// or when one is GPU to GPU and the other writes into its source or destination. All others overlap and
/// share the links. With parallel copies only those of the same source and destination follow each other, as peer
/// copies on streams of their own do over NVLink. Copies from a disk follow each other, and so do those to it; on a
/// half-duplex disk all do.
/// Source: StarPU 1.4 `simgrid.c`, transfers_are_sequential.
class BusStreams {
 public:
  /// `rams`: the number of memory nodes before the first GPU's.
  explicit BusStreams(std::size_t rams = 1, bool parallel_copies = false)
      : rams_(rams), parallel_copies_(parallel_copies) {}
  /// `disk`: the memory node of the disk.
  BusStreams(std::size_t rams, bool parallel_copies, LocalMemory disk, bool half_duplex)
      : rams_(rams), parallel_copies_(parallel_copies), disk_(disk), half_duplex_(half_duplex) {}

  struct Copy {
    RequestId request;
    LocalMemory from, to;
    std::uint32_t waits = 0;   // earlier copies that must end first
    std::uint64_t number = 0;  // in the order of submission
  };

  /// Returns whether the copy may start at once.
  bool submit(RequestId request, LocalMemory from, LocalMemory to) {
    Copy copy{.request = request, .from = from, .to = to, .number = submitted_++};
    copy.waits = static_cast<std::uint32_t>(std::count_if(
        pending_.begin(), pending_.end(), [&](Copy const& earlier) { return sequential(copy, earlier); }));
    pending_.push_back(copy);
    return copy.waits == 0;
  }
  /// Removes a copy that has ended; appends those that may start now, in the order of submission.
  void end(RequestId request, std::vector<Copy>& startable) {
    auto const ended =
        std::find_if(pending_.begin(), pending_.end(), [&](Copy const& c) { return c.request == request; });
    FACTOSIM_EXPECT(ended != pending_.end(), "a copy ends that was not submitted");
    for (auto later = ended + 1; later != pending_.end(); ++later)
      if (sequential(*later, *ended) && --later->waits == 0) startable.push_back(*later);
    pending_.erase(ended);
  }
  /// Returns the number of copies submitted until now.
  [[nodiscard]] std::uint64_t submitted() const { return submitted_; }
  /// Returns whether the first `count` copies submitted have ended.
  [[nodiscard]] bool have_ended(std::uint64_t count) const {
    return pending_.empty() || pending_.front().number >= count;
  }

 private:
  static bool writes_into_ends(Copy const& writer, Copy const& gpu_copy) {
    return writer.to == gpu_copy.from || writer.to == gpu_copy.to;
  }
  [[nodiscard]] bool between_gpus(Copy const& c) const {
    return c.from.index() >= rams_ && c.to.index() >= rams_;
  }
  [[nodiscard]] bool on_disk(Copy const& c) const { return c.from == disk_ || c.to == disk_; }
  [[nodiscard]] bool sequential(Copy const& a, Copy const& b) const {
    if (a.from == b.from && a.to == b.to) return true;
    if (disk_.valid() && on_disk(a) && on_disk(b))
      return half_duplex_ || (a.from == disk_) == (b.from == disk_);
    if (parallel_copies_) return false;
    if (between_gpus(a) && a.from == b.to && a.to == b.from) return true;
    return (between_gpus(a) && writes_into_ends(b, a)) || (between_gpus(b) && writes_into_ends(a, b));
  }

  std::size_t rams_;
  bool parallel_copies_;
  LocalMemory disk_{};  // invalid: none
  bool half_duplex_ = false;
  std::vector<Copy> pending_;  // in the order of submission
  std::uint64_t submitted_ = 0;
};

/// Drivers that wait until the bus has carried all copies submitted before: memory is given back to a GPU's allocator when no
/// copy is in progress. Source: StarPU 1.4 `simgrid.c`, _starpu_simgrid_sync_gpus.
class BusBarriers {
 public:
  explicit BusBarriers(std::size_t memory_nodes) : waits_for_(memory_nodes, 0) {}

  /// The driver of that memory waits. Returns whether it has to.
  bool begin(LocalMemory memory, BusStreams const& streams) {
    if (streams.have_ended(streams.submitted())) return false;
    waits_for_[memory.index()] = streams.submitted();
    ++waiting_;
    return true;
  }
  /// Returns whether the driver waits no longer.
  [[nodiscard]] bool passed(LocalMemory memory, BusStreams const& streams) const {
    return streams.have_ended(waits_for_[memory.index()]);
  }
  /// A copy has ended: calls `use(memory)` for each driver that waited for it.
  template <class Use>
  void release(BusStreams const& streams, Use const& use) {
    for (std::size_t m = 0; waiting_ > 0 && m < waits_for_.size(); ++m) {
      if (waits_for_[m] == 0 || !passed(LocalMemory{m}, streams)) continue;
      waits_for_[m] = 0;
      --waiting_;
      use(LocalMemory{m});
    }
  }

 private:
  std::vector<std::uint64_t>
      waits_for_;  // [memory nodes] number of copies submitted when the wait began; 0: does not wait
  std::uint32_t waiting_ = 0;
};

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
  void copy_to_ram_when_idle(LocalReplica replica) {
    if (states_.has_disk() && states_.valid(replica, states_.behind(first_ram))) return;
    write_back_when_idle(replica, first_ram);
  }
  /// RAM may have room for requests that found none: their drivers try again.
  void room_freed() {
    if (waits_for_room_) wake_those_without_room();
  }
  /// Makes a request of a task as urgent as a fetch.
  void promote(RequestId id);
  void cancel(RequestId id);
  /// No task or message needs the replica any more: drops the requests for its copies that have not started, and gives
  /// its memory back once no copy moves.
  void forget(LocalReplica replica);
  /// Lets a task write the copy once no request for the replica is left, and then calls the waiter. A
  /// prefetch, for which nothing waits, leaves the other copies valid if there are requests.
  void grant_write(LocalReplica replica, LocalMemory memory, Waiter waiter);
  /// Makes all requests for copies of the replica as urgent as a fetch: a task that will write it waits for them.
  void hasten(LocalReplica replica) {
    requests_.for_each(replica, [this](RequestId id) { promote(id); });
  }
  [[nodiscard]] TransferRequests& requests() { return requests_; }
  [[nodiscard]] TransferRequests const& requests() const { return requests_; }

  // ---- for drivers ----

  /// What takes the driver time.
  struct Step {
    RequestId
        request;  // the driver submits its copy to the bus once it has prepared it; or invalid: see frees_memory
    GpuAllocation::Source source = GpuAllocation::Source::none;  // of the memory for it
    /// The driver gives memory back to the GPU's allocator.
    [[nodiscard]] bool frees_memory() const { return !request.valid(); }
  };
  /// Handles requests of the driver until one takes time; nothing at the end of its round.
  std::optional<Step> next_step(LocalMemory memory, Seconds now);
  /// Returns whether its last round has handled a request: it makes another one.
  [[nodiscard]] bool has_handled(LocalMemory memory) const { return has_handled_[memory.index()]; }
  /// Returns whether the driver waits for a write-back to make room, and may do nothing but transfers.
  [[nodiscard]] bool reclaims(LocalMemory memory) const { return reclaims_[memory.index()].active(); }
  /// The driver has freed memory and waits for all copies that the bus carries now. Returns whether there are any; the
  /// driver is woken when the last one has ended.
  bool synchronise(LocalMemory memory) { return barriers_.begin(memory, streams_); }
  [[nodiscard]] bool synchronised(LocalMemory memory) const { return barriers_.passed(memory, streams_); }
  /// The driver has put the copy on its stream.
  void submit(RequestId request) {
    TransferRequest const& r = requests_[request];
    if (streams_.submit(request, r.from, r.to)) client_.start_copy(request, r.from, r.to, r.replica);
  }
  /// The bus has carried the copy; the driver completes it in its next round.
  void copy_ended(RequestId request);
  /// Completes the copies that have ended. Returns whether there were any.
  bool complete_ended(LocalMemory memory);

  // ---- where all drivers wait for memory ----

  using HandleOf = std::function<HandleId(LocalReplica)>;
  /// Drops the prefetches that have not started, whose sources cannot be evicted, by handle. Returns whether there were
  /// any.
  bool drop_prefetches(HandleOf const& handle_of);
  /// Lets copies be evicted that are only the source of requests that have not started; these then take another. Returns
  /// whether there were any.
  bool release_sources(HandleOf const& handle_of);

 private:
  /// Returns the requests that meet the condition, by handle: numbers of replicas depend on when those before were forgotten.
  template <class Condition>
  [[nodiscard]] std::vector<RequestId> by_handle(HandleOf const& handle_of,
                                                 Condition const& condition) const {
    std::vector<RequestId> out = requests_.all(condition);
    std::ranges::stable_sort(out, {}, [&](RequestId id) { return handle_of(requests_[id].replica); });
    return out;
  }

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
  /// Ends a request that has not started, without its copy.
  void drop(RequestId id) {
    requests_[id].canceled = true;
    complete(id, Ends::by_itself);
  }
  void unblock_writer(LocalReplica replica);
  /// Gives the memory of a forgotten replica back, which no copy uses.
  void leave(LocalReplica replica);
  enum class Outcome : std::uint8_t { done, copies, reclaims, refused };
  /// Starts the request, or completes it if it needs no copy.
  Outcome handle(RequestId id);
  /// There is memory for the copy of the request.
  Outcome begin_copy(RequestId id);
  /// Puts a request that found no memory back to its place.
  void put_back(RequestId id) {
    TransferRequest& r = requests_[id];
    r.queued = true;
    queue_of(r).push(lane_of(r), r.urgency, {r.priority, r.ticket, id});
  }
  std::optional<Step> continue_reclaim(LocalMemory memory);
  /// Requests write-backs ahead of time.
  void tidy(LocalMemory memory);
  RequestId write_back(LocalReplica victim, LocalMemory memory);
  /// Requests the copy anew from a valid source.
  void take_another_source(RequestId id);
  void write_back_to_make_room(LocalMemory memory, Urgency urgency);
  void start_between_rams();
  void write_back_when_idle(LocalReplica replica, LocalMemory to);
  void wake_those_without_room();

  NodeType const& type_;
  ReplicaStates& states_;
  GpuAllocation& gpus_;
  CopyPrediction const& prediction_;
  DataClient& client_;
  BusStreams streams_;
  BusBarriers barriers_;
  TransferRequests requests_;
  std::vector<TransferQueue> queues_;           // [memory nodes]
  std::vector<BlockedWriter> blocked_writers_;  // wait until no request is left for the replica
  std::vector<LocalReplica> leaving_;           // forgotten, and copies of them move
  std::vector<BusStreams::Copy> startable_;     // scratch
  std::vector<LocalReplica> to_write_back_;     // scratch
  std::vector<MemoryReclaim> reclaims_;         // [memory nodes]
  std::vector<TransferRound> rounds_;           // [memory nodes]
  std::vector<TransferRound> nested_;  // [memory nodes] in which requests that need memory are refused
  std::vector<bool> has_handled_;      // [memory nodes]
  GpuAllocation::Source source_ =
      GpuAllocation::Source::none;      // scratch: of the memory for the last copy begun
  std::vector<bool> without_room_;      // [memory nodes] a request of its queue found no RAM
  bool waits_for_room_ = false;         // one of these
  bool starting_between_rams_ = false;  // see start_between_rams
  bool more_between_rams_ = false;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace factosim
