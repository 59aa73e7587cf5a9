#pragma once

#include <cstdint>
#include <limits>

#include "factosim/id.hpp"
#include "factosim/network_model.hpp"
#include "factosim/quantity.hpp"
#include "platforms/topology.hpp"

namespace factosim {

/// Identifies a transfer for its initiator; the engine only returns it.
using TransferToken = std::uint32_t;

/// The share of a transfer's rate that cross traffic takes on the way back, as SimGrid's option network/crosstraffic.
inline constexpr double crosstraffic_share = 0.05;

struct NetworkOptions {
  NetworkModel model = default_network_model();
  /// A transfer also takes `crosstraffic_share` of its rate on the links of the way back, as acknowledgements do.
  bool crosstraffic = false;
};

/// Receives the end of each transfer, at the time it ends.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  virtual void transfer_ended(TransferToken token) = 0;
};

/// The events of the engine, which a network handles between the ends of its transfers.
class EventSource {
 public:
  static constexpr Seconds never{std::numeric_limits<double>::infinity()};

  virtual ~EventSource() = default;
  /// Returns the date of the next event, or `never`.
  [[nodiscard]] virtual Seconds next_date() const = 0;
  /// Handles events in order up to and including `horizon`. Returns early after an event that started a
  /// transfer, since the network's next date may have changed.
  virtual void advance(Seconds horizon) = 0;
  /// Transfers that end within this time of each other end together.
  [[nodiscard]] virtual Seconds tie() const = 0;
  /// Sets the clock to the end of a transfer.
  virtual void set_now(Seconds date) = 0;
};

/// Transfers bytes between memory nodes over shared links; one implementation per model of sharing.
class Network {
 public:
  virtual ~Network() = default;

  /// Starts a transfer whose latency counts from `since`: its bytes flow after the latency of the route, which
  /// is not before now. A transfer of 0 bytes lasts the latency.
  virtual void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) = 0;

  /// Runs events and transfers in the order of time until none is left; may be called again after that. At equal
  /// dates, events precede ends of transfers. Transfers that end within `TimeGrid::tie_ticks` ticks of the clock of the first one end with it, in the
  /// order of their starts: otherwise rounding, which differs between implementations, would decide the schedule.
  virtual void run(EventSource& events, TransferListener& listener) = 0;

  /// Returns the path of a transfer that is in flight or is reported as ended.
  [[nodiscard]] virtual Topology::Path path_of(TransferToken /*token*/) const { return Topology::any_path; }

  /// Returns how many times the sharing of the links was computed, a measure of cost.
  [[nodiscard]] virtual std::uint64_t solves() const = 0;
};

}  // namespace factosim
