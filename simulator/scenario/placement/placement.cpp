#include "simulator/scenario/simulation/placed_scenario.hpp"

#include "distributions/redistribution.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

std::uint64_t messages_of_graph(Placement const& p) {
  TaskGraph graph = p.application->graph(p.parameters, p.distribution.map);
  ExecutionPlan const plan = plan_execution(graph, owners_of_handles(graph, p.distribution), p.nodes);
  return count_messages(graph, plan);
}

}  // namespace

std::vector<std::uint64_t> tiles_per_node(Placement const& p) {
  TileMap const& map = p.distribution.map;
  if (p.application->lower_only) return lower_tiles_per_node(map, p.nodes);
  std::vector<std::uint64_t> tiles(p.nodes, 0);
  for (NodeId const owner : map.owner) ++tiles[owner.index()];
  return tiles;
}

std::uint64_t tiles_sent(Placement const& p) {
  return p.counts_in_graph() ? messages_of_graph(p)
                             : p.application->tiles_sent(p.parameters, p.distribution.map);
}

}  // namespace factosim
