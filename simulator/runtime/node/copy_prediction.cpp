#include "simulator/runtime/node/copy_prediction.hpp"

#include <limits>

#include "factosim/error.hpp"
#include "simulator/runtime/node/data_client.hpp"

namespace factosim {

Seconds predicted_copy_time(NodeType const& type, LocalMemory from, LocalMemory to, Bytes size,
                            double sharing) {
  if (from == to) return Seconds{0};
  std::size_t const pair = from.index() * type.memory_node_count() + to.index();
  if (type.bus.routes[pair].empty())
    return predicted_copy_time(type, from, first_ram, size, sharing) +
           predicted_copy_time(type, first_ram, to, size, sharing);
  return type.bus.predicted[pair].latency + size / type.bus.predicted[pair].bandwidth * sharing;
}

double assumed_sharing(NodeType const& type) {
  return type.gpu_memory_count() == 0 ? 1.0 : 2.0 * static_cast<double>(type.gpus.size());
}

CopyPrediction::CopyPrediction(NodeType const& type, std::vector<Bytes> const& sizes,
                               ReplicaStates const& states)
    : type_(type), sizes_(sizes), states_(states), sharing_(assumed_sharing(type)) {}

LocalMemory CopyPrediction::cheapest_source(LocalReplica replica, LocalMemory to) const {
  Seconds minimum{std::numeric_limits<double>::infinity()};
  LocalMemory best;
  for (std::size_t m = 0; m < states_.memory_nodes(); ++m) {
    LocalMemory const from{m};
    if (!states_.valid(replica, from)) continue;
    Seconds const predicted = time(replica, from, to);
    if (predicted >= minimum) continue;
    minimum = predicted;
    best = from;
  }
  FACTOSIM_ALWAYS(best.valid(), "a replica is wanted that is valid nowhere");
  return best;
}

}  // namespace factosim
