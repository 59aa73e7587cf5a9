#pragma once

#include <vector>

#include "simulator/engine/event_heap.hpp"
#include "simulator/engine/maxmin_rates.hpp"
#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/engine/transfer_ends.hpp"

namespace factosim {

/// Transfers as flows with exact weighted max-min fair rates (MaxMinRates). Inside a node the weight of a flow is
/// 1 / latency of its route, as in SimGrid's and StarPU's model of PCI; between nodes all weights are 1. A link
/// whose bandwidth is not shared limits each flow separately.
///
/// A start or an end costs what it changes: the flows of the links whose levels change, and a heap entry for each
/// flow that becomes faster.
class MaxMinNetwork final : public Network {
 public:
  explicit MaxMinNetwork(Topology const& topology);

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] std::uint64_t solves() const override { return solves_; }

 private:
  struct Waiting {  // until the latency of its route has passed
    MemoryNodeId from, to;
    double bytes;
    TransferToken token;
    std::uint64_t order;
  };
  struct Flow {
    double bytes_left = 0;  // at `since`
    Seconds since{0};
    double rate = 0;
    TransferToken token = 0;
    std::uint64_t order = 0;  // in the order of starts
  };

  void begin(Waiting const& waiting, Seconds now);
  void end_flows(Seconds date, EventSource& events, TransferListener& listener);
  void share_again(Seconds now);
  [[nodiscard]] double weight_of(MemoryNodeId from, MemoryNodeId to, Seconds latency) const;

  Topology const& topology_;
  MaxMinRates rates_;
  EventHeap<Waiting> waiting_;
  std::vector<Flow> flows_;  // numbered as in rates_
  TransferEnds ends_;
  std::vector<std::uint32_t> ending_, shared_links_;  // scratch
  std::uint64_t started_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace factosim
