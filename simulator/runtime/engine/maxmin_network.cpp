#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/maxmin_rates.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/engine/path_chooser.hpp"

namespace factosim {

namespace {

std::vector<double> capacities(Topology const& topology) {
  std::vector<double> out;
  for (LinkSpec const& link : topology.links()) out.push_back(link.rate.bandwidth.value);
  return out;
}

/// Transfers are flows, once the latency of their routes has passed, with exact weighted max-min fair rates
/// (MaxMinRates). Inside a node the weight of a flow is 1 / latency of its route, as in SimGrid's and StarPU's model of
/// PCI; all messages have one weight (Topology::message_weight). A link whose bandwidth is not shared limits each flow
/// separately. A start or an end costs what it changes: the flows of the links whose levels change, and a heap entry for
/// each flow that becomes faster.
class MaxMinNetwork final : public Network {
 public:
  MaxMinNetwork(Topology const& topology, bool crosstraffic)
      : topology_(topology),
        paths_(topology),
        rates_(capacities(topology), (crosstraffic ? 2 : 1) * topology.longest_route()),
        crosstraffic_(crosstraffic) {}

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override {
    Topology::RouteBuffer scratch;
    Seconds const latency = topology_.route(from, to, scratch, paths_.start(from, to, token)).latency;
    waiting_.push(
        since + latency,
        {from, to, static_cast<double>(topology_.carried(from, to, size).value), {token, started_++}});
  }
  void run(EventSource& events, TransferListener& listener) override {
    while (true) {
      Seconds const change = ends_.first();
      Seconds const begins = waiting_.empty() ? EventSource::never : waiting_.next_date();
      Seconds const own = events.next_date();
      if (own <= std::min(change, begins)) {
        if (own == EventSource::never) return;
        events.advance(std::min(change, begins));
      } else if (begins <= change) {
        while (!waiting_.empty() && waiting_.next_date() == begins) begin(waiting_.pop(), begins);
        share_again(begins);
        ++solves_;
      } else {
        advance(events.tie());
        ++solves_;
        std::sort(ended_.begin(), ended_.end(),
                  [](Transfer const& a, Transfer const& b) { return a.order < b.order; });
        events.set_now(change);
        for (Transfer const& transfer : ended_) paths_.end(transfer.token);
        for (Transfer const& transfer : ended_) listener.transfer_ended(transfer.token);
      }
    }
  }

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

  void begin(Waiting const& waiting, Seconds now) {
    Topology::RouteBuffer scratch;
    auto const route =
        topology_.route(waiting.from, waiting.to, scratch, paths_.path_of(waiting.transfer.token));
    Seconds const latency = route.latency;
    bool const copy = topology_.same_node(waiting.from, waiting.to);
    double const weight = !copy ? topology_.message_weight() : latency.value > 0 ? 1 / latency.value : 1;
    double bound = unlimited;
    links_.clear();
    auto const cross = [&](std::span<std::uint32_t const> links, double share) {
      for (std::uint32_t const link : links)
        if (topology_.is_shared(link))
          links_.push_back({link, share});
        else
          bound = std::min(bound, topology_.links()[link].rate.bandwidth.value / share);
    };
    cross(route.links, 1);
    if (crosstraffic_)
      cross(topology_.way_back(waiting.from, waiting.to, scratch, paths_.path_of(waiting.transfer.token)),
            crosstraffic_share);
    std::uint32_t const flow = rates_.add(links_, weight, bound);
    if (flow >= flows_.size()) flows_.resize(flow + 1);
    flows_[flow] = {.bytes_left = waiting.bytes, .since = now, .rate = 0, .transfer = waiting.transfer};
  }

  /// All flows that begin or end at `now` are known.
  void share_again(Seconds now) {
    for (std::uint32_t const id : rates_.update()) {
      Flow& flow = flows_[id];
      flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now - flow.since).value);
      flow.since = now;
      flow.rate = rates_.rate(id);
      ends_.set(id, now + Seconds{flow.bytes_left / flow.rate});
    }
  }

  /// Goes on to the next end of a flow. Fills `ended_` with the transfers that end then, or within `tie`.
  void advance(Seconds tie) {
    Seconds const date = ends_.first();
    ended_.clear();
    while (ends_.first() <= date + tie) {
      std::uint32_t const flow = ends_.pop();
      rates_.remove(flow);
      ended_.push_back(flows_[flow].transfer);
    }
    share_again(date);
  }

  Topology const& topology_;
  PathChooser paths_;
  MaxMinRates rates_;
  bool crosstraffic_;
  std::vector<Flow> flows_;  // numbered as in rates_
  EndDates ends_;            // of the flows
  EventHeap<Waiting> waiting_;
  std::vector<Transfer> ended_;  // scratch
  std::vector<MaxMinRates::Crossed>
      links_;  // scratch: shared ones of a flow; one that it crosses twice stands there twice
  std::uint64_t started_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace

std::unique_ptr<Network> make_maxmin_network(Topology const& topology, bool crosstraffic) {
  return std::make_unique<MaxMinNetwork>(topology, crosstraffic);
}

}  // namespace factosim
