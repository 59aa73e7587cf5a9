#include "simulator/bounds/link_loads.hpp"

#include <algorithm>

namespace factosim {

LinkLoad most_loaded_link(TaskGraph const& graph, ExecutionPlan const& plan, Topology const& topology,
                          MessageRules const& rules) {
  LinkLoad out;
  if (!rules.links_are_shared || topology.node_count() < 2) return out;
  std::vector<double> seconds(topology.links().size(), 0);
  Topology::RouteBuffer scratch;
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t first) {
    TaskId const reader = graph.successors[first];
    HandleId const given = graph.given_to(task, reader);
    if (!given.valid()) return;
    auto const route =
        topology.route(topology.ram_of(plan.node_of(task)), topology.ram_of(plan.node_of(reader)), scratch);
    bool const forwarded = rules.broadcast != Broadcast::point_to_point;
    for (std::uint32_t const link : forwarded ? route.links.last(1) : route.links)
      if (topology.is_shared(link))
        seconds[link] += (graph.handles[given.index()].size / topology.links()[link].rate.bandwidth).value;
  });
  auto const most = std::ranges::max_element(seconds);
  if (most == seconds.end() || *most <= 0) return out;
  return {static_cast<std::uint32_t>(most - seconds.begin()), Seconds{*most}};
}

}  // namespace factosim
