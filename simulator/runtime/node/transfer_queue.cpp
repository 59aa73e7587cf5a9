#include "simulator/runtime/node/transfer_queue.hpp"

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

}  // namespace factosim
