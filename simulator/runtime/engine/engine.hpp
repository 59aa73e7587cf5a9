#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// The meaning of an event is private to its scheduler: the engine only delivers it.
struct Event {
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;
};

class EventHandler : public TransferListener {
 public:
  virtual void handle(Event event) = 0;
};

/// The clock. Delivers the events of its heap and the ends of transfers in a network in the order of time.
/// All dates are of its grid. Events of one date are delivered by rank, then in the order in which they were
/// scheduled.
class Engine final : private EventSource {
 public:
  explicit Engine(std::unique_ptr<Network> network, TimeGrid grid = {})
      : network_(std::move(network)), grid_(grid) {}

  [[nodiscard]] Seconds now() const { return now_; }
  [[nodiscard]] TimeGrid const& grid() const { return grid_; }
  /// Schedules an event at `date` >= now.
  void at(Seconds date, Event event) { heap_.push(grid_.rounded(date), event); }
  /// `rank` (0 to 3): the event follows all events of that date with a lower rank, even those scheduled later.
  void after(Seconds delay, Event event, std::uint32_t rank = 0) {
    FACTOSIM_EXPECT(delay.value >= 0, "an event is scheduled in the past");
    heap_.push(grid_.after(now_, delay), event, rank);
  }
  void start_transfer(MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) {
    start_transfer(now_, from, to, size, token);
  }
  /// Starts a transfer whose latency counts from the date `since`: at most now, and at least now minus the
  /// latency.
  void start_transfer(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token);

  /// Returns when no event and no transfer is left.
  void run(EventHandler& handler);

  [[nodiscard]] Topology::Path path_of(TransferToken token) const { return network_->path_of(token); }
  [[nodiscard]] std::uint64_t events_handled() const { return events_handled_; }
  [[nodiscard]] std::uint64_t solves() const { return network_->solves(); }

 private:
  [[nodiscard]] Seconds next_date() const override;
  [[nodiscard]] Seconds tie() const override { return grid_.tick() * TimeGrid::tie_ticks; }
  void advance(Seconds horizon) override;
  void set_now(Seconds date) override { now_ = std::max(now_, grid_.rounded(date)); }

  std::unique_ptr<Network> network_;
  TimeGrid grid_;
  EventHeap<Event> heap_;
  EventHandler* handler_ = nullptr;
  Seconds now_{0};
  std::uint64_t events_handled_ = 0;
  bool transfer_started_ = false;
};

}  // namespace factosim
