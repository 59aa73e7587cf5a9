#pragma once

#include <compare>
#include <limits>
#include <span>
#include <vector>

#include "simulator/engine/event_heap.hpp"
#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"

namespace factosim {

/// Exact weighted max-min fair sharing by progressive filling: the rate of a flow can only increase if that of a
/// flow with a smaller level (rate / weight) decreases (Bertsekas and Gallager, Data Networks, 6.5.2). Inside a
/// node the weight of a flow is 1 / latency of its route, as in SimGrid's and StarPU's model of PCI; between
/// nodes all weights are 1. A link whose bandwidth is not shared limits each flow separately, as if each flow
/// had a link of its own.
///
/// When a flow starts or ends, filling is unchanged up to the level at which the flow was fixed or one of its
/// links is full: flows below that level keep their rates and ends. So do flows that are not connected to it by
/// shared links with flows above that level. O(flows + links log links) of the changed part, and a scan of all
/// flows for the next end.
class MaxMinNetwork final : public Network {
 public:
  explicit MaxMinNetwork(Topology const& topology);

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] std::uint64_t solves() const override { return solves_; }

 private:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();  // rate or level

  struct Waiting {  // until the latency of its route has passed
    MemoryNodeId from, to;
    double bytes;
    TransferToken token;
    std::uint64_t order;
  };
  struct Crossing {  // of a flow over a link
    std::uint32_t link;
    std::uint32_t place;  // in the link's list of flows
  };
  struct Flow {
    double bytes_left = 0;  // at `since`
    Seconds since{0};
    double rate = 0;
    double level = 0;  // rate / weight when the rate was set; equal for all flows with the same bottleneck
    double weight = 1;
    TransferToken token = 0;
    std::uint64_t order = 0;    // in the order of starts
    std::uint32_t visited = 0;  // number of the last search that visited it
    bool fixed = false;
    std::uint32_t crossings = 0;
  };
  struct LinkUse {  // a flow that crosses the link, and the place in its route
    std::uint32_t flow;
    std::uint32_t part;
  };
  struct Link {
    double capacity = 0;
    double left = 0;    // while filling: remaining capacity
    double weight = 0;  // while filling: sum over the flows without a rate
    std::uint32_t visited = 0;
    std::vector<LinkUse> uses;
  };

  struct Share {  // bandwidth of a link per unit of weight
    double share;
    std::uint32_t link;  // breaks ties
    friend auto operator<=>(Share const&, Share const&) = default;
  };

  /// Returns the links that a flow crosses. There is room for the longest route.
  [[nodiscard]] std::span<Crossing> route_of(std::uint32_t flow) {
    return {crossings_.data() + flow * longest_route_, flows_[flow].crossings};
  }
  [[nodiscard]] std::uint32_t add_flow();
  void begin(Waiting const& waiting, Seconds now);
  void cross(std::uint32_t flow, std::uint32_t link);
  void remove(std::uint32_t flow);
  void end_flows(Seconds date, EventSource& events, TransferListener& listener);
  void share_again(Seconds now);
  /// Returns the level of the flows of which the link is the bottleneck; flows with a lower level are limited
  /// elsewhere.
  [[nodiscard]] double level_of(Link const& link) const;
  void find_component(std::uint32_t link);
  void fill(Seconds now);
  void set_rate(std::uint32_t flow, double rate, Seconds now);
  [[nodiscard]] double weight_of(MemoryNodeId from, MemoryNodeId to, Seconds latency) const;

  Topology const& topology_;
  std::size_t longest_route_;
  EventHeap<Waiting> waiting_;
  std::vector<Link> links_;          // those of the topology; with unshared links, then one per flow
  std::vector<Flow> flows_;          // pool
  std::vector<Crossing> crossings_;  // [flows][longest_route_]
  std::vector<Seconds> ends_;        // [flows] date of the end; never: a free place
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> touched_links_;                      // links whose flows must be shared again
  double changed_level_ = unlimited;                              // above which rates change
  std::vector<std::uint32_t> component_links_, component_flows_;  // scratch
  std::vector<Share> shares_;                                     // scratch: a heap, the smallest first
  std::vector<std::uint32_t> ending_;                             // scratch
  std::uint64_t started_ = 0;
  std::uint32_t search_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace factosim
