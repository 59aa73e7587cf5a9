#include "simulator/runtime/engine/path_chooser.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

Topology::Path PathChooser::start(MemoryNodeId from, MemoryNodeId to, TransferToken token) {
  if (transfers_.empty()) return Topology::any_path;
  if (topology_.same_node(from, to)) {
    taken_.erase(token);
    return Topology::any_path;
  }
  Topology::RouteBuffer scratch;
  topology_.candidates(from, to, started_++, candidates_);
  FACTOSIM_EXPECT(!candidates_.empty(), "adaptive routing finds no path");
  Topology::Path best = candidates_.front();
  double least = std::numeric_limits<double>::infinity();
  for (Topology::Path const path : candidates_) {
    auto const route = topology_.route(from, to, scratch, path);
    double load = 0;
    for (std::uint32_t const link : route.between_cards())
      load = std::max(load, (transfers_[link] + 1) / topology_.links()[link].rate.bandwidth.value);
    load *= topology_.cost_of(path);
    if (load < least) {
      least = load;
      best = path;
    }
  }
  taken_.insert_or_assign(token, Taken{from, to, best});
  for (std::uint32_t const link : topology_.route(from, to, scratch, best).links) ++transfers_[link];
  return best;
}

void PathChooser::end(TransferToken token) {
  auto const taken = taken_.find(token);
  if (taken == taken_.end()) return;
  Topology::RouteBuffer scratch;
  auto const& [from, to, path] = taken->second;
  for (std::uint32_t const link : topology_.route(from, to, scratch, path).links) {
    FACTOSIM_EXPECT(transfers_[link] > 0, "a transfer leaves a link that it has not crossed");
    --transfers_[link];
  }
}

}  // namespace factosim
