#pragma once

#include <array>
#include <optional>
#include <vector>

#include "simulator/base/core/priority_fifo.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The transfers of one driver: requests that wait, and copies in flight. A driver handles the copies to its
/// memory and those from there to RAM. They are divided into lanes: one for each memory node that copies come
/// from, and a last one for copies to RAM. Each lane limits its copies in flight, by urgency.
class TransferQueue {
 public:
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
  std::optional<Item> take(std::size_t lane, Urgency urgency, TransferRequests const& requests);
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
  void completed(std::size_t lane) { --lanes_[lane].in_flight; }
  /// Copies that the bus has carried and the driver has not completed yet.
  [[nodiscard]] std::vector<RequestId>& carried() { return carried_; }

 private:
  static constexpr std::size_t urgencies = 3;
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

}  // namespace factosim
