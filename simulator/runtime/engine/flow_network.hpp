#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/engine/network.hpp"
#include "simulator/runtime/engine/path_chooser.hpp"
#include "simulator/runtime/engine/topology.hpp"

namespace factosim {

/// A network whose transfers, once the latency of their routes has passed, are flows that share the bandwidth of
/// their links; derived classes say how. Inside a node the weight of a flow is 1 / latency of its route, as in
/// SimGrid's and StarPU's model of PCI; all messages have one weight (Topology::message_weight). A link whose bandwidth is not shared limits
/// each flow separately.
class FlowNetwork : public Network {
 public:
  explicit FlowNetwork(Topology const& topology) : topology_(topology), paths_(topology) {}

  void start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size, TransferToken token) final;
  void run(EventSource& events, TransferListener& listener) final;
  [[nodiscard]] Topology::Path path_of(TransferToken token) const final { return paths_.path_of(token); }
  [[nodiscard]] std::uint64_t solves() const final { return solves_; }

 protected:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();  // rate

  struct Transfer {
    TransferToken token = 0;
    std::uint64_t order = 0;  // in the order of starts
  };
  struct Demand {
    std::vector<std::uint32_t> links;  // shared ones; a link that the route crosses twice stands there twice
    double weight = 1;
    double bound = unlimited;  // of the unshared links, in bytes per second
    double bytes = 0;
  };

  [[nodiscard]] Topology const& topology() const { return topology_; }

 private:
  struct Waiting {  // until the latency of its route has passed
    MemoryNodeId from, to;
    double bytes;
    Transfer transfer;
  };

  /// Adds a flow.
  virtual void begin(Transfer const& transfer, Demand const& demand, Seconds now) = 0;
  /// All flows that begin at `now` have been added.
  virtual void share_again(Seconds now) = 0;
  /// Returns the date of the next end of a flow or of another change inside the network, or `never`.
  [[nodiscard]] virtual Seconds next_date() = 0;
  /// Goes on to next_date(). Appends the transfers that end then, or within `tie`, to `ended`; none if only
  /// something inside the network changed.
  virtual void advance(Seconds tie, std::vector<Transfer>& ended) = 0;

  void begin(Waiting const& waiting, Seconds now);

  Topology const& topology_;
  PathChooser paths_;
  EventHeap<Waiting> waiting_;
  std::vector<Transfer> ended_;  // scratch
  Demand demand_;                // scratch
  std::uint64_t started_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace factosim
