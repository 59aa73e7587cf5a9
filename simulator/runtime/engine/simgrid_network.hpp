#pragma once

#include <memory>

#include "platforms/topology.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// Transfers as flows of SimGrid 3.32 (model CM02 without corrections: latency + size / bandwidth, max-min
/// sharing). No actors: SimGrid steps only when a flow starts or ends; the engine's events in between are
/// handled inside its loop.
///
/// Links have no latency in SimGrid: the latency passes before the flow starts, which halves the number of times
/// SimGrid shares the links. Inside a node, where SimGrid weighs flows by 1 / latency, the weight of the flow is
/// set instead.
///
/// SimGrid keeps static state: a process can have one SimGridNetwork. A second one throws ContractError.
class SimGridNetwork final : public Network {
 public:
  /// `lazy`: SimGrid's lazy update, faster on large platforms with few flows per node, but inexact when flows of
  /// very different weights share a link: errors of rates up to 30 % in tests/engine/random_networks_test.cpp.
  SimGridNetwork(Topology const& topology, bool lazy);
  ~SimGridNetwork() override;

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] Topology::Path path_of(TransferToken token) const override;
  [[nodiscard]] std::uint64_t solves() const override;

 private:
  class Impl;                   // keeps SimGrid's headers out of this one
  std::shared_ptr<Impl> impl_;  // shared with SimGrid
};

}  // namespace factosim
