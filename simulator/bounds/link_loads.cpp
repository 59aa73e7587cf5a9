#include "simulator/bounds/link_loads.hpp"

#include <algorithm>

namespace factosim {

namespace {

/// Calls `use(link, task, first, last, seconds)` for each link on which a message to successors first..last - 1 counts.
template <class Use>
void for_each_load(TaskGraph const& graph, ExecutionPlan const& plan, Topology const& topology,
                   MessageRules const& rules, Use const& use) {
  bool const forwarded = rules.broadcast != Broadcast::point_to_point;
  Topology::RouteBuffer scratch;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for_each_message(graph, plan, TaskId{t}, [&](std::uint32_t first, std::uint32_t last) {
      TaskId const reader = graph.successors[first];
      HandleId const given = graph.given_to(TaskId{t}, reader);
      if (!given.valid()) return;
      auto const route = topology.route(topology.ram_of(plan.node_of(TaskId{t})),
                                        topology.ram_of(plan.node_of(reader)), scratch);
      for (std::uint32_t const link : forwarded ? route.links.last(1) : route.links)
        if (topology.is_shared(link))
          use(link, TaskId{t}, first, last,
              (graph.handles[given.index()].size / topology.links()[link].rate.bandwidth).value);
    });
}

}  // namespace

LinkLoad most_loaded_link(TaskGraph const& graph, ExecutionPlan const& plan, Topology const& topology,
                          MessageRules const& rules) {
  LinkLoad out;
  if (!rules.links_are_shared || topology.node_count() < 2) return out;
  std::vector<double> seconds(topology.links().size(), 0);
  for_each_load(
      graph, plan, topology, rules,
      [&](std::uint32_t link, TaskId, std::uint32_t, std::uint32_t, double s) { seconds[link] += s; });
  auto const most = std::ranges::max_element(seconds);
  if (most == seconds.end() || *most <= 0) return out;
  return {static_cast<std::uint32_t>(most - seconds.begin()), Seconds{*most}};
}

std::vector<WindowedWork> messages_of_link(std::uint32_t link, TaskGraph const& graph,
                                           ExecutionPlan const& plan, ShortestDurations const& shortest,
                                           Topology const& topology, TimeGrid const& grid,
                                           MessageRules const& rules, TaskChains const& chains) {
  std::vector<WindowedWork> out;
  auto const own = [&](TaskId t) { return shortest.on_node(t, plan.node_of(t)); };
  auto const add = [&](std::uint32_t at, TaskId task, std::uint32_t first, std::uint32_t last,
                       double seconds) {
    if (at != link) return;
    WindowedWork message{.head = chains.before[task.index()].with_messages + own(task),
                         .work = seconds / grid.tick().value};
    for (std::uint32_t s = first; s < last; ++s) {
      TaskId const reader = graph.successors[s];
      message.tail = std::max(message.tail, own(reader) + chains.after[reader.index()].with_messages);
    }
    out.push_back(message);
  };
  for_each_load(graph, plan, topology, rules, add);
  return out;
}

}  // namespace factosim
