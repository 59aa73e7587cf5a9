#pragma once

#include <optional>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "simulator/analysis/trace_links.hpp"
#include "simulator/core/finding.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The link from one node to another.
struct PairFit {
  NodeId from, to;
  LinkFit fit;  // `transfers`: those that were in flight with another and tell the time of service
  /// Sums of squared differences, in s^2, between the arrivals of `overlapping` messages and what `fifo`
  /// and `shared` predict.
  double fifo_s2 = 0, shared_s2 = 0;
  std::size_t overlapping = 0;
};

struct NetworkFit {
  std::vector<PairFit> pairs;  // by sender, then by receiver
  std::optional<Wire> wire;    // nullopt: too few messages overlap, or both predict as well
  std::vector<Finding> findings;

  /// Returns the bandwidth of a node's network card: the highest over its links, or of all links if they are
  /// alike.
  [[nodiscard]] BytesPerSecond bandwidth(NodeId node) const;
  /// Returns the latency of a message: that of the links on average, so that clock offsets cancel out.
  [[nodiscard]] Seconds latency() const;
  [[nodiscard]] bool latency_known() const;
};

/// Fits the network to the messages of all traces. The time of service is the gap between two arrivals on a
/// link on which the second message waited already, and neither node had messages of other links in flight:
/// a time from sending to arrival would hold the wait behind others. Messages that were alone tell the
/// latency. Returns nullopt without messages.
[[nodiscard]] std::optional<NetworkFit> fit_service(std::vector<Trace> const& traces);

}  // namespace factosim
