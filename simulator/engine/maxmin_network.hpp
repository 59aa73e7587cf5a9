#pragma once

#include <compare>
#include <span>
#include <vector>

#include "simulator/engine/event_heap.hpp"
#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"

namespace factosim {

/// Exact weighted max-min fair sharing by progressive filling: no flow can get more without a flow of a
/// smaller (rate / weight) getting less (Bertsekas and Gallager, Data Networks, 6.5.2). Inside a node a
/// flow's weight is 1 / latency of its route, as SimGrid's and StarPU's model of PCI has it; between nodes
/// all weights are 1. A link whose bandwidth is not shared bounds each flow by itself: as a link that the
/// flow has for its own.
///
/// When a flow comes or goes, filling would go as before up to the level where it was fixed, or where one of
/// its links is full: flows below that level keep rate and end. So do those that are not joined to it by
/// shared links with flows above. O(flows + links log links) of that part, and a scan of the flows for the
/// next end.
class MaxMinNetwork final : public Network {
 public:
  explicit MaxMinNetwork(Topology const& topology);

  void start(double now, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override;
  void run(EventSource& events, TransferListener& listener) override;
  [[nodiscard]] std::uint64_t solves() const override { return solves_; }

 private:
  struct Waiting {  // for the latency of its route
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
    double since = 0;
    double rate = 0;
    double level = 0;  // rate / weight, as it was found: of all flows with the same bottleneck the same
    double weight = 1;
    TransferToken token = 0;
    std::uint64_t order = 0;    // in which it was started
    std::uint32_t visited = 0;  // by the search of that number
    bool fixed = false;
    std::uint32_t crossings = 0;
  };
  struct LinkUse {  // a flow that crosses it, and as which part of its route
    std::uint32_t flow;
    std::uint32_t part;
  };
  struct Link {
    double capacity = 0;
    double left = 0;    // while filling: capacity not yet given
    double weight = 0;  // while filling: of the flows without a rate
    std::uint32_t visited = 0;
    std::vector<LinkUse> uses;
  };

  struct Share {  // what a link can give to each unit of weight
    double share;
    std::uint32_t link;  // decides among equals
    friend auto operator<=>(Share const&, Share const&) = default;
  };

  /// The links that a flow crosses; room for the longest route follows.
  [[nodiscard]] std::span<Crossing> route_of(std::uint32_t flow) {
    return {crossings_.data() + flow * longest_route_, flows_[flow].crossings};
  }
  [[nodiscard]] std::uint32_t add_flow();
  void begin(Waiting const& waiting, double now);
  void cross(std::uint32_t flow, std::uint32_t link);
  void remove(std::uint32_t flow);
  void end_flows(double date, EventSource& events, TransferListener& listener);
  void share_again(double now);
  /// What the link gives to each unit of weight where it is the bottleneck of all flows that do not have
  /// less.
  [[nodiscard]] double level_of(Link const& link) const;
  void find_component(std::uint32_t link);
  void fill(double now);
  void set_rate(std::uint32_t flow, double rate, double now);
  [[nodiscard]] double weight_of(MemoryNodeId from, MemoryNodeId to, Seconds latency) const;

  Topology const& topology_;
  std::size_t longest_route_;
  EventHeap<Waiting> waiting_;
  std::vector<Link> links_;  // those of the topology, then, if it has unshared ones, one of each flow's own
  std::vector<Flow> flows_;  // pool
  std::vector<Crossing> crossings_;  // [flows][longest_route_]
  std::vector<double> ends_;         // [flows] date; never while the place is free
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> touched_links_;                      // whose flows must be shared again
  double changed_level_ = EventSource::never;                     // from which on
  std::vector<std::uint32_t> component_links_, component_flows_;  // scratch
  std::vector<Share> shares_;                                     // scratch: a heap, the least first
  std::vector<std::uint32_t> ending_;                             // scratch
  std::uint64_t started_ = 0;
  std::uint32_t search_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace factosim
