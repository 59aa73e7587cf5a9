#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// How messages from one node to another that are in flight together affect each other.
enum class Sharing {
  in_turn,     // they arrive one after the other, each after the time of one alone
  shared,      // they share the bandwidth
  independent  // each takes the time of one alone
};

/// The link from one node to another.
struct PairFit {
  NodeId from, to;
  LinkFit fit{};                    // by the way of sharing that predicts the arrivals best
  std::size_t overlapping = 0;      // messages in flight with another
  std::array<double, 3> squares{};  // [Sharing] squared differences from the arrivals of these, in s^2
};

/// Returns the name of the link from one node to another, "network:0-1".
[[nodiscard]] std::string link_name(NodeId from, NodeId to);

struct NetworkFit {
  std::vector<PairFit> pairs;  // by sender, then by receiver
  std::optional<Wire> wire;    // nullopt: the messages do not tell
  std::vector<Finding> findings;

  /// Returns the bandwidth of a node's network card: the highest over its links, or of all links if they are
  /// alike.
  [[nodiscard]] BytesPerSecond bandwidth(NodeId node) const;
  /// Returns the latency of a message: that of the links on average, so that clock offsets cancel out.
  [[nodiscard]] Seconds latency() const;
  [[nodiscard]] bool latency_known() const;
};

/// Fits the network to the messages of all traces, by the way of sharing that predicts arrivals best. If they
/// arrive in turn, the time of service is the gap between two arrivals on a link on which the second message
/// waited already, and neither node had messages of other links in flight: a time from sending to arrival
/// would hold the wait behind others. Messages that were alone tell the latency. Returns nullopt without
/// messages.
[[nodiscard]] std::optional<NetworkFit> fit_service(std::vector<Trace> const& traces);

}  // namespace factosim
