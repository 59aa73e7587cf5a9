#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/link_rate.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The rate of a link, fitted to transfers over it.
struct LinkFit {
  LinkRate rate;
  std::size_t transfers = 0;
  double residual_s = 0;      // root mean square of the residuals
  bool latency_known = true;  // false: sizes are too similar, and all of the time is in the bandwidth
};

struct TransferTime {
  double size_bytes, seconds;
};

/// Least squares; transfers of no size or of no time count for nothing. nullopt without any.
[[nodiscard]] std::optional<LinkFit> fit_link(std::vector<TransferTime> const& transfers);

/// When what a message carries was there to be sent: the core had ended the task that wrote it; a GPU had,
/// and it was sent, since it has to come to the RAM before.
[[nodiscard]] double could_be_sent(Trace const& trace, Trace::Message const& message);

/// What messages between nodes take: from when they could be sent to when they came. Clocks that differ
/// between two nodes lengthen what goes one way and shorten what goes the other: all directions are fitted
/// together.
[[nodiscard]] std::optional<LinkFit> fit_messages(Trace const& trace);
/// The same between sending and coming alone: the network without the runtime system.
[[nodiscard]] std::optional<LinkFit> fit_network(Trace const& trace);
/// Copies within nodes, by (from, to): memory nodes of the trace.
[[nodiscard]] std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> fit_copies(Trace const& trace);

}  // namespace factosim
