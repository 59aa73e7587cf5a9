#include "simulator/runtime/engine/constant_network.hpp"

#include <algorithm>

namespace factosim {

Seconds unshared_time(Topology const& topology, MemoryNodeId from, MemoryNodeId to, Bytes size) {
  Topology::RouteBuffer scratch;
  auto const route = topology.route(from, to, scratch);
  double slowest = 0;  // seconds per byte
  for (std::uint32_t const link : route.links) {
    auto const crossings =
        topology.is_shared(link) ? static_cast<double>(std::ranges::count(route.links, link)) : 1.0;
    slowest = std::max(slowest, crossings / topology.links()[link].rate.bandwidth.value);
  }
  return route.latency + Seconds{static_cast<double>(topology.carried(from, to, size).value) * slowest};
}

void ConstantNetwork::start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size,
                            TransferToken token) {
  ends_.push(since + unshared_time(topology_, from, to, size), {token, started_++});
}

void ConstantNetwork::run(EventSource& events, TransferListener& listener) {
  while (true) {
    Seconds const end = ends_.empty() ? EventSource::never : ends_.next_date();
    Seconds const own = events.next_date();
    if (own <= end) {
      if (own == EventSource::never) return;
      events.advance(end);
      continue;
    }
    events.set_now(end);
    ending_.clear();
    while (!ends_.empty() && ends_.next_date() <= end + events.tie()) ending_.push_back(ends_.pop());
    std::sort(ending_.begin(), ending_.end(),
              [](Ending const& a, Ending const& b) { return a.order < b.order; });
    for (Ending const& ended : ending_) listener.transfer_ended(ended.token);
  }
}

}  // namespace factosim
