#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/maxmin_rates.hpp"
#include "simulator/runtime/engine/network.hpp"
#include "simulator/runtime/engine/path_chooser.hpp"
#include "simulator/runtime/engine/topology.hpp"

namespace factosim {

/// Transfers are flows, once the latency of their routes has passed, with exact weighted max-min fair rates
/// (MaxMinRates). Inside a node the weight of a flow is 1 / latency of its route, as in SimGrid's and StarPU's model of
/// PCI; all messages have one weight (Topology::message_weight). A link whose bandwidth is not shared limits each flow
/// separately. A start or an end costs what it changes: the flows of the links whose levels change, and a heap entry for
/// each flow that becomes faster.
class MaxMinNetwork final : public Network {
 public:
  explicit MaxMinNetwork(Topology const& topology);

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] Topology::Path path_of(TransferToken token) const override { return paths_.path_of(token); }
  [[nodiscard]] std::uint64_t solves() const override { return solves_; }

 private:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();  // rate

  struct Transfer {
    TransferToken token = 0;
    std::uint64_t order = 0;  // in the order of starts
  };
  struct Waiting {  // until the latency of its route has passed
    MemoryNodeId from, to;
    double bytes;
    Transfer transfer;
  };
  struct Flow {
    double bytes_left = 0;  // at `since`
    Seconds since{0};
    double rate = 0;
    Transfer transfer;
  };

  void begin(Waiting const& waiting, Seconds now);
  /// All flows that begin or end at `now` are known.
  void share_again(Seconds now);
  /// Goes on to the next end of a flow. Fills `ended_` with the transfers that end then, or within `tie`.
  void advance(Seconds tie);

  Topology const& topology_;
  PathChooser paths_;
  MaxMinRates rates_;
  std::vector<Flow> flows_;  // numbered as in rates_
  EndDates ends_;            // of the flows
  EventHeap<Waiting> waiting_;
  std::vector<Transfer> ended_;  // scratch
  std::vector<std::uint32_t>
      links_;  // scratch: shared ones of a flow; one that it crosses twice stands there twice
  std::uint64_t started_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace factosim
