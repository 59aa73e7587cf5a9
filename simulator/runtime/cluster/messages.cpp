#include "simulator/runtime/cluster/messages.hpp"

namespace factosim {

Seconds Messages::latency(MessageId id) const {
  Topology::RouteBuffer scratch;
  return topology_.route(topology_.ram_of(pool_[id].source), topology_.ram_of(destination(id)), scratch)
      .latency;
}

}  // namespace factosim
