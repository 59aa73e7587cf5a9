#include "simulator/engine/path_chooser.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

Topology::Path PathChooser::start(MemoryNodeId from, MemoryNodeId to, TransferToken token) {
  if (transfers_.empty()) return Topology::any_path;
  if (topology_.same_node(from, to)) {
    taken_.erase(token);
    return Topology::any_path;
  }
  Topology::RouteBuffer scratch;
  topology_.candidates(topology_.node_of(from), topology_.node_of(to), started_++, candidates_);
  Topology::Path best = candidates_.front();
  double least = std::numeric_limits<double>::infinity();
  for (Topology::Path const path : candidates_) {
    auto const links = topology_.route(from, to, scratch, path).links;
    double load = 0;
    for (std::uint32_t const link : links.subspan(1, links.size() - 2))  // all have the cards' own
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
  for (std::uint32_t const link : topology_.route(from, to, scratch, path).links) --transfers_[link];
}

}  // namespace factosim
