#include "simulator/runtime/engine/flow_network.hpp"

#include <algorithm>

namespace factosim {

void FlowNetwork::start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) {
  Topology::RouteBuffer scratch;
  Seconds const latency = topology_.route(from, to, scratch, paths_.start(from, to, token)).latency;
  waiting_.push(
      since + latency,
      {from, to, static_cast<double>(topology_.carried(from, to, size).value), {token, started_++}});
}

void FlowNetwork::begin(Waiting const& waiting, Seconds now) {
  Topology::RouteBuffer scratch;
  auto const route =
      topology_.route(waiting.from, waiting.to, scratch, paths_.path_of(waiting.transfer.token));
  Seconds const latency = route.latency;
  bool const copy = topology_.same_node(waiting.from, waiting.to);
  demand_.weight = !copy ? topology_.message_weight() : latency.value > 0 ? 1 / latency.value : 1;
  demand_.bound = unlimited;
  demand_.bytes = waiting.bytes;
  demand_.links.clear();
  for (std::uint32_t const link : route.links)
    if (topology_.is_shared(link))
      demand_.links.push_back(link);
    else
      demand_.bound = std::min(demand_.bound, topology_.links()[link].rate.bandwidth.value);
  begin(waiting.transfer, demand_, now);
}

void FlowNetwork::run(EventSource& events, TransferListener& listener) {
  while (true) {
    Seconds const change = next_date();
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
      ended_.clear();
      advance(events.tie(), ended_);
      ++solves_;
      if (ended_.empty()) continue;
      std::sort(ended_.begin(), ended_.end(),
                [](Transfer const& a, Transfer const& b) { return a.order < b.order; });
      events.set_now(change);
      for (Transfer const& transfer : ended_) paths_.end(transfer.token);
      for (Transfer const& transfer : ended_) listener.transfer_ended(transfer.token);
    }
  }
}

}  // namespace factosim
