#include <algorithm>
#include <vector>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/network_factory.hpp"

namespace factosim {

namespace {

/// No sharing: every transfer lasts latency + size / the smallest bandwidth of its route, independently of other
/// transfers. A link that the route crosses twice counts with half its bandwidth. Optimistic: for quick studies
/// and as a bound.
class ConstantNetwork final : public Network {
 public:
  explicit ConstantNetwork(Topology const& topology) : topology_(topology) {}

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) override {
    ends_.push(since + unshared_time(topology_, from, to, size), {token, started_++});
  }
  void run(EventSource& events, TransferListener& listener) override {
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

}  // namespace

std::unique_ptr<Network> make_constant_network(Topology const& topology) {
  return std::make_unique<ConstantNetwork>(topology);
}

}  // namespace factosim
