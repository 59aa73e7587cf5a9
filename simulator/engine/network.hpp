#pragma once

#include <cstdint>
#include <limits>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// Names a transfer to the one who started it; the engine only carries it.
using TransferToken = std::uint32_t;

/// What the engine calls when a transfer ends, at the time it ends.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  virtual void transfer_ended(TransferToken token) = 0;
};

/// What drives time: all that happens strictly before or at a date is done by the engine's own heap.
class EventSource {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~EventSource() = default;
  /// Date of the next own event, or `never`.
  [[nodiscard]] virtual double next_date() const = 0;
  /// Handles own events in order up to and including `horizon`, and stops early right after one that started
  /// a transfer (the network's next date is then no longer known).
  virtual void advance(double horizon) = 0;
  /// The clock moves to `date` without own events: a transfer ends there.
  virtual void set_now(double date) = 0;
};

/// Carries bytes between memory nodes over shared links; one implementation per model of sharing.
class Network {
 public:
  static constexpr double tie = 1e-11;  // seconds

  virtual ~Network() = default;

  /// Starts a transfer at `now`, in seconds. Its bytes flow after the latency of the route; with 0 bytes it
  /// lasts the latency.
  virtual void start(double now, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) = 0;

  /// Runs events and transfers in the order of time until neither is left. At equal dates own events come
  /// before ends of transfers. Transfers that end within `tie` of each other end together, in the order in
  /// which they were started: which of them is first by rounding would decide the schedule otherwise, and
  /// differ between implementations.
  virtual void run(EventSource& events, TransferListener& listener) = 0;

  /// How many times the sharing of the links was computed anew (a measure of cost).
  [[nodiscard]] virtual std::uint64_t solves() const = 0;
};

}  // namespace factosim
