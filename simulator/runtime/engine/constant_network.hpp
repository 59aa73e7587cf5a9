#pragma once

#include <vector>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/network.hpp"
#include "simulator/runtime/engine/topology.hpp"

namespace factosim {

/// No sharing: every transfer lasts latency + size / the smallest bandwidth of its route, independently of other
/// transfers. A link that the route crosses twice counts with half its bandwidth. Optimistic: for quick studies
/// and as a bound.
class ConstantNetwork final : public Network {
 public:
  explicit ConstantNetwork(Topology const& topology) : topology_(topology) {}

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] std::uint64_t solves() const override { return 0; }

 private:
  struct Ending {
    TransferToken token;
    std::uint64_t order;  // in the order of their starts
  };

  Topology const& topology_;
  EventHeap<Ending> ends_;
  std::vector<Ending> ending_;  // scratch
  std::uint64_t started_ = 0;
};

/// Returns the time of `size` bytes on an idle route, including its latency.
Seconds unshared_time(Topology const& topology, MemoryNodeId from, MemoryNodeId to, Bytes size);

}  // namespace factosim
