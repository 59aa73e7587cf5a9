#include "simulator/engine/maxmin_network.hpp"

#include <algorithm>

namespace factosim {

namespace {

std::vector<double> capacities(Topology const& topology) {
  std::vector<double> out;
  for (LinkSpec const& link : topology.links()) out.push_back(link.rate.bandwidth.value);
  return out;
}

}  // namespace

MaxMinNetwork::MaxMinNetwork(Topology const& topology)
    : topology_(topology), rates_(capacities(topology), topology.longest_route()) {}

void MaxMinNetwork::start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size,
                          TransferToken token) {
  Topology::RouteBuffer scratch;
  Seconds const latency = topology_.route(from, to, scratch).latency;
  waiting_.push(since + latency, {from, to, static_cast<double>(size.value), token, started_++});
}

double MaxMinNetwork::weight_of(MemoryNodeId from, MemoryNodeId to, Seconds latency) const {
  return topology_.same_node(from, to) && latency.value > 0 ? 1 / latency.value : 1;
}

void MaxMinNetwork::begin(Waiting const& waiting, Seconds now) {
  Topology::RouteBuffer scratch;
  auto const [links, latency] = topology_.route(waiting.from, waiting.to, scratch);
  double const weight = weight_of(waiting.from, waiting.to, latency);
  double bound = MaxMinRates::unlimited;
  shared_links_.clear();
  for (std::uint32_t const link : links)
    if (topology_.is_shared(link))
      shared_links_.push_back(link);
    else
      bound = std::min(bound, topology_.links()[link].rate.bandwidth.value);
  std::uint32_t const flow = rates_.add(shared_links_, weight, bound);
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  flows_[flow] = {
      .bytes_left = waiting.bytes, .since = now, .token = waiting.token, .order = waiting.order};
}

void MaxMinNetwork::share_again(Seconds now) {
  for (std::uint32_t const id : rates_.update()) {
    Flow& flow = flows_[id];
    flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now - flow.since).value);
    flow.since = now;
    flow.rate = rates_.rate(id);
    ends_.set(id, now + Seconds{flow.bytes_left / flow.rate});
  }
  ++solves_;
}

void MaxMinNetwork::end_flows(Seconds date, EventSource& events, TransferListener& listener) {
  ending_.clear();
  Seconds const last = date + events.tie();
  while (ends_.first() <= last) ending_.push_back(ends_.pop());
  std::sort(ending_.begin(), ending_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return flows_[a].order < flows_[b].order; });
  for (std::uint32_t& ended : ending_) {
    rates_.remove(ended);
    ended = flows_[ended].token;
  }
  share_again(date);
  events.set_now(date);
  for (TransferToken const token : ending_) listener.transfer_ended(token);
}

void MaxMinNetwork::run(EventSource& events, TransferListener& listener) {
  while (true) {
    Seconds const end = ends_.first();
    Seconds const begins = waiting_.empty() ? EventSource::never : waiting_.next_date();
    Seconds const own = events.next_date();
    if (own <= std::min(end, begins)) {
      if (own == EventSource::never) return;
      events.advance(std::min(end, begins));
    } else if (begins <= end) {
      while (!waiting_.empty() && waiting_.next_date() == begins) begin(waiting_.pop(), begins);
      share_again(begins);
    } else {
      end_flows(end, events, listener);
    }
  }
}

}  // namespace factosim
