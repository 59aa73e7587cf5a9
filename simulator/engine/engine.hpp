#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "simulator/engine/event_heap.hpp"
#include "simulator/engine/network.hpp"

namespace factosim {

/// What an event means is known to the one who scheduled it: the engine only delivers it.
struct Event {
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;
};

class EventHandler : public TransferListener {
 public:
  virtual void handle(Event event) = 0;
};

/// The clock: own events in a heap, transfers in a network, delivered in the order of time.
/// Events of one date are delivered by rank, then in the order in which they were scheduled.
class Engine final : private EventSource {
 public:
  explicit Engine(std::unique_ptr<Network> network) : network_(std::move(network)) {}

  [[nodiscard]] Seconds now() const { return {now_}; }
  /// Schedules an event at `date` >= now.
  void at(Seconds date, Event event) { heap_.push(rounded(date.value), event); }
  /// `rank` (0 to 3): behind all events of that date with a lower one, also those still to be scheduled.
  void after(Seconds delay, Event event, std::uint32_t rank = 0) {
    heap_.push(rounded(now_ + delay.value), event, rank);
  }
  void start_transfer(MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token);

  /// Returns when nothing is left to happen.
  void run(EventHandler& handler);

  [[nodiscard]] std::uint64_t events_handled() const { return events_handled_; }
  [[nodiscard]] std::uint64_t solves() const { return network_->solves(); }

  /// The date to the nearest picosecond (nanosecond after 2000 s). Delays then add up to the same date in
  /// whatever order they are added, so that what should happen at one date does, and ties do not hang on the
  /// last bits of a sum.
  [[nodiscard]] static double rounded(double date) {
    double const per_second = date < 2000 ? 1e12 : 1e9;
    // Adding and taking away 1.5 * 2^52 rounds to an integer; dates after 26 days keep what bits a double
    // has.
    constexpr double shifter = 6755399441055744.0;
    double const ticks = date * per_second;
    return ticks < 0x1p51 ? ((ticks + shifter) - shifter) / per_second : date;
  }

 private:
  [[nodiscard]] double next_date() const override;
  void advance(double horizon) override;
  void set_now(double date) override { now_ = std::max(now_, rounded(date)); }

  std::unique_ptr<Network> network_;
  EventHeap<Event> heap_;
  EventHandler* handler_ = nullptr;
  double now_ = 0;
  std::uint64_t events_handled_ = 0;
  bool transfer_started_ = false;
};

}  // namespace factosim
