#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/quantity.hpp"
#include "simulator/base/core/priority_fifo.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The transfers of one driver: requests that wait, and copies in flight. A driver handles the copies to its
/// memory and those from there to RAM. They are divided into lanes: one for each memory node that copies come
/// from, and a last one for copies to RAM. Each lane limits its copies in flight, by urgency.
class TransferQueue {
 public:
  static constexpr std::size_t urgencies = 3;
  using Item = PriorityFifo<RequestId>::Item;

  TransferQueue(std::size_t memory_nodes, RuntimeOptions const& options)
      : lanes_(memory_nodes + 1), limits_{options.fetch_limit, options.prefetch_limit, options.idle_limit} {}

  /// The lanes [0, out_lane()) are for copies to the driver's memory.
  [[nodiscard]] std::size_t out_lane() const { return lanes_.size() - 1; }

  void push(std::size_t lane, Urgency urgency, Item const& item) { waiting(lane, urgency).push(item); }
  /// Returns whether a request of that lane and urgency waits and the limit of copies in flight permits one
  /// more beside `others`.
  [[nodiscard]] bool may_start(std::size_t lane, Urgency urgency, std::size_t others = 0) const {
    auto const u = static_cast<std::size_t>(urgency);
    Lane const& l = lanes_[lane];
    return !l.waiting[u].empty() && l.in_flight + static_cast<int>(others) < limits_[u];
  }
  /// Returns whether as many copies of that lane are in flight as requests of that urgency permit.
  [[nodiscard]] bool is_full(std::size_t lane, Urgency urgency) const {
    return lanes_[lane].in_flight >= limits_[static_cast<std::size_t>(urgency)];
  }
  /// Takes the first request of that lane and urgency that may start.
  std::optional<Item> take(std::size_t lane, Urgency urgency, TransferRequests const& requests) {
    auto& queue = waiting(lane, urgency);
    while (!queue.empty()) {
      Item const item = queue.pop();
      TransferRequest const& r = requests[item.value];
      if (r.queued && r.ticket == item.ticket) return item;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool none_waiting(std::size_t lane, Urgency urgency) {
    return waiting(lane, urgency).empty();
  }

  void started(std::size_t lane) { ++lanes_[lane].in_flight; }
  /// Returns whether a copy of the lanes [first, last) is in flight.
  [[nodiscard]] bool in_flight(std::size_t first, std::size_t last) const {
    for (std::size_t lane = first; lane < last; ++lane)
      if (lanes_[lane].in_flight > 0) return true;
    return false;
  }
  /// The bus has carried a copy; the driver completes it later.
  void carried(RequestId request) { carried_.push_back(request); }
  /// Removes a copy that the driver completes from those in flight.
  void completed(std::size_t lane) {
    FACTOSIM_EXPECT(lanes_[lane].in_flight > 0, "a copy is completed that was not in flight");
    --lanes_[lane].in_flight;
  }
  /// Copies that the bus has carried and the driver has not completed yet.
  [[nodiscard]] std::vector<RequestId>& carried() { return carried_; }

 private:
  struct Lane {
    std::array<PriorityFifo<RequestId>, urgencies> waiting;
    int in_flight = 0;
  };
  [[nodiscard]] PriorityFifo<RequestId>& waiting(std::size_t lane, Urgency urgency) {
    return lanes_[lane].waiting[static_cast<std::size_t>(urgency)];
  }

  std::vector<Lane> lanes_;
  std::array<int, urgencies> limits_;
  std::vector<RequestId> carried_;
};

/// One round of a driver through its lists of requests, each of which it visits once: for the copies to its memory, then for
/// those to RAM, the urgent requests by lane, prefetches, and idle ones if no copy is in flight. As in StarPU, it takes as many
/// requests of a list as may be in flight together before it handles the first one: those that come meanwhile wait for the next
/// round, whatever their priority. Source: StarPU 1.4 `data_request.c` (__starpu_handle_node_data_requests), `datawizard.c`
/// (____starpu_datawizard_progress).
class TransferRound {
 public:
  /// `max_time`: after that time, the rest of a list is left for the next round.
  explicit TransferRound(Seconds max_time) : max_time_(max_time) {}

  /// Returns whether the round has begun and not ended.
  [[nodiscard]] bool active() const { return active_; }
  /// Returns whether a request has been handled in this round, or in the last one.
  [[nodiscard]] bool has_handled() const { return has_handled_; }
  /// Begins or continues the round. Returns the next request to handle; an invalid id at its end.
  RequestId next(TransferQueue& queue, TransferRequests& requests, Seconds now) {
    if (!std::exchange(active_, true)) {
      list_ = 0;
      has_handled_ = false;
    }
    while (!visiting_ || !stays(queue, now)) {
      if (visiting_) leave_list(queue, requests);
      if (enter_list(queue, requests, now)) continue;
      active_ = false;
      return {};
    }
    RequestId const id = taken_.back();
    taken_.pop_back();
    return id;
  }

  /// The request that `next` returned last, or one whose memory was reclaimed since, has found no memory.
  void refused(RequestId id) {
    refused_.push_back(id);
    out_of_memory_ = just_refused_ = true;
  }

 private:
  static constexpr std::size_t urgencies = TransferQueue::urgencies;

  static std::size_t lists_to_memory(TransferQueue const& queue) { return urgencies * queue.out_lane(); }
  [[nodiscard]] std::size_t lane(TransferQueue const& queue) const {
    return list_ < lists_to_memory(queue) ? list_ % queue.out_lane() : queue.out_lane();
  }
  [[nodiscard]] Urgency urgency(TransferQueue const& queue) const {
    std::size_t const first_out = lists_to_memory(queue);
    return static_cast<Urgency>(list_ < first_out ? list_ / queue.out_lane() : list_ - first_out);
  }
  /// Goes on to the first list with requests that may start, and takes these. Returns whether there is one.
  bool enter_list(TransferQueue& queue, TransferRequests& requests, Seconds now) {
    std::size_t const out = queue.out_lane();
    for (; list_ < lists_to_memory(queue) + urgencies; ++list_) {
      Urgency const level = urgency(queue);
      bool const goes_out = lane(queue) == out;
      // Idle requests wait until nothing is in flight.
      if (level == Urgency::idle && (goes_out || lane(queue) == 0) &&
          queue.in_flight(goes_out ? out : 0, goes_out ? out + 1 : out)) {
        skip_direction(queue);
        --list_;
        continue;
      }
      while (queue.may_start(lane(queue), level, taken_.size())) {
        auto const item = queue.take(lane(queue), level, requests);
        if (!item) break;
        requests[item->value].queued = false;
        taken_.push_back(item->value);
      }
      if (taken_.empty()) continue;
      std::ranges::reverse(taken_);
      entered_ = now;
      visiting_ = first_ = true;
      just_refused_ = out_of_memory_ = false;
      return true;
    }
    return false;
  }

  [[nodiscard]] bool stays(TransferQueue const& queue, Seconds now) {
    bool const first = std::exchange(first_, false);
    bool const just_refused = std::exchange(just_refused_, false);
    if (!first && !just_refused) has_handled_ = true;
    // Prefetching more would make the situation even worse.
    if (just_refused && urgency(queue) != Urgency::fetch) return false;
    bool const late = !first && now - entered_ >= max_time_;
    bool const full = !taken_.empty() && queue.is_full(lane(queue), urgency(queue));
    if (late || full) out_of_memory_ = false;
    return !late && !full && !taken_.empty();
  }

  /// Puts back what was taken in vain, and goes on to the next list.
  void leave_list(TransferQueue& queue, TransferRequests& requests) {
    refused_.insert(refused_.end(), taken_.begin(), taken_.end());
    for (RequestId const id : refused_) {
      TransferRequest& r = requests[id];
      r.queued = true;
      queue.push(lane(queue), r.urgency, {r.priority, r.ticket, id});
    }
    refused_.clear();
    taken_.clear();
    visiting_ = false;
    if (std::exchange(out_of_memory_, false))
      skip_direction(queue);
    else
      ++list_;
  }

  /// Goes on to the copies to RAM, or to the end.
  void skip_direction(TransferQueue const& queue) {
    std::size_t const first_out = lists_to_memory(queue);
    list_ = list_ < first_out ? first_out : first_out + urgencies;
  }

  Seconds max_time_;
  std::size_t list_ = 0;            // the visited one, or the next one to visit
  std::vector<RequestId> taken_;    // of the visited list and not handled, the next one last
  std::vector<RequestId> refused_;  // of the visited list
  Seconds entered_{0};
  bool active_ = false;
  bool visiting_ = false;
  bool has_handled_ = false;
  bool first_ = false;  // no request of the visited list has been handled
  bool just_refused_ = false;
  bool out_of_memory_ = false;  // the visit of the list ends for want of memory
};

}  // namespace factosim
