#include "simulator/runtime/node/transfer_queue.hpp"

#include <algorithm>
#include <utility>

namespace factosim {

std::optional<TransferQueue::Item> TransferQueue::take(std::size_t lane, Urgency urgency,
                                                       TransferRequests const& requests) {
  auto& queue = waiting(lane, urgency);
  while (!queue.empty()) {
    Item const item = queue.pop();
    TransferRequest const& r = requests[item.value];
    if (r.queued && r.ticket == item.ticket) return item;
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t urgencies = 3;

std::size_t lists_to_memory(TransferQueue const& queue) { return urgencies * queue.out_lane(); }

}  // namespace

std::size_t TransferRound::lane(TransferQueue const& queue) const {
  return list_ < lists_to_memory(queue) ? list_ % queue.out_lane() : queue.out_lane();
}

Urgency TransferRound::urgency(TransferQueue const& queue) const {
  std::size_t const first_out = lists_to_memory(queue);
  return static_cast<Urgency>(list_ < first_out ? list_ / queue.out_lane() : list_ - first_out);
}

RequestId TransferRound::next(TransferQueue& queue, TransferRequests& requests, Seconds now) {
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

bool TransferRound::enter_list(TransferQueue& queue, TransferRequests& requests, Seconds now) {
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

bool TransferRound::stays(TransferQueue const& queue, Seconds now) {
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

void TransferRound::leave_list(TransferQueue& queue, TransferRequests& requests) {
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

void TransferRound::skip_direction(TransferQueue const& queue) {
  std::size_t const first_out = lists_to_memory(queue);
  list_ = list_ < first_out ? first_out : first_out + urgencies;
}

}  // namespace factosim
