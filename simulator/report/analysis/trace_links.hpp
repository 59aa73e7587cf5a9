#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Latency and bandwidth of a link, fitted to transfers over it: time = latency + size / bandwidth.
struct LinkFit {
  LinkRate rate;
  std::size_t transfers = 0;
  double mean_s = 0;          // mean time of a transfer
  double residual_s = 0;      // root mean square of the residuals
  bool latency_known = true;  // false: all sizes are similar, and the bandwidth accounts for all of the time
};

struct TransferTime {
  double size_bytes, seconds;
};

/// Returns the fit of these transfers with the rate at which they take their total time, without latency. At least one.
[[nodiscard]] LinkFit fit_through_zero(std::vector<TransferTime> const& transfers);

/// Fits by least squares. Transfers without size or time are ignored. Returns nullopt if none is left.
[[nodiscard]] std::optional<LinkFit> fit_link(std::vector<TransferTime> const& transfers);

/// Fits the times of messages between nodes, from the date at which they could be sent to their arrival.
/// Clock offsets between two nodes lengthen one direction and shorten the other, so all directions are
/// fitted together.
[[nodiscard]] std::optional<LinkFit> fit_messages(Trace const& trace);
/// Fits the copies within nodes, by (from, to): memory nodes of the trace.
[[nodiscard]] std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> fit_copies(Trace const& trace);

/// Builds a bus with a separate link between each pair of connected memory nodes. Memory node 0, the RAM,
/// must be connected to all others. GPUs that are not connected copy through the RAM, and the runtime
/// expects the time of both copies. `link(from, to)` returns nothing if they are not connected.
[[nodiscard]] Bus pairwise_bus(std::size_t memories,
                               std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link);

}  // namespace factosim
