#include "simulator/placement/placement.hpp"
#include "simulator/plan/plan_execution.hpp"

#include "distributions/redistribution.hpp"
#include "distributions/tiles_sent.hpp"

namespace factosim {

namespace {

std::uint64_t messages_of_graph(Placement const& p) {
  TaskGraph graph = application(p.application).graph(p.parameters, p.distribution.map);
  ExecutionPlan const plan = plan_execution(graph, owners_of_handles(graph, p.distribution), p.nodes);
  return count_messages(graph, plan);
}

}  // namespace

std::vector<std::uint64_t> tiles_per_node(Placement const& p) {
  TileMap const& map = p.distribution.map;
  if (p.lower_only()) return lower_tiles_per_node(map, p.nodes);
  std::vector<std::uint64_t> tiles(p.nodes, 0);
  for (NodeId const owner : map.owner) ++tiles[owner.index()];
  return tiles;
}

std::uint64_t tiles_sent(Placement const& p) {
  if (p.parameters.variant == "starpu-mpi") return cholesky_tiles_sent_with_flushes(p.distribution.map);
  if (factosim::application(p.application).is_product) return product_tiles_sent(p.distribution.map);
  if (p.counts_in_graph()) return messages_of_graph(p);
  return p.lower_only() ? cholesky_tiles_sent(p.distribution.map) : lu_tiles_sent(p.distribution.map);
}

}  // namespace factosim
