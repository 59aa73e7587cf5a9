#include "simulator/tasks/bounds/link_loads.hpp"

#include <algorithm>

namespace factosim {

LinkLoads::LinkLoads(Topology const& topology, MessageRules const& rules)
    : topology_(topology),
      counts_(rules.links_are_shared && topology.node_count() > 1),
      forwarded_(rules.broadcast != Broadcast::point_to_point),
      messages_(topology.links().size()) {}

LinkLoad LinkLoads::most_loaded() const {
  LinkLoad out;
  for (std::uint32_t link = 0; link < messages_.size(); ++link) {
    std::vector<Messages> by_size = messages_[link];
    std::ranges::sort(by_size, {}, &Messages::size);
    Seconds sum{0};
    for (Messages const& m : by_size)
      for (std::uint64_t i = 0; i < m.count; ++i) sum += time(link, m.size);
    if (sum > out.seconds) out = {link, sum};
  }
  return out;
}

namespace {

/// Calls `use(task, first, last, size)` for each message to successors first..last - 1 that counts on links.
template <class Use>
void for_each_sent(TaskGraph const& graph, ExecutionPlan const& plan, Use const& use) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for_each_message(graph, plan, TaskId{t}, [&](std::uint32_t first, std::uint32_t last) {
      HandleId const given = graph.given_to(TaskId{t}, graph.successors[first]);
      if (given.valid()) use(TaskId{t}, first, last, graph.handles[given.index()].size);
    });
}

}  // namespace

LinkLoad most_loaded_link(TaskGraph const& graph, ExecutionPlan const& plan, Topology const& topology,
                          MessageRules const& rules) {
  if (!rules.links_are_shared || topology.node_count() < 2) return {};
  LinkLoads loads(topology, rules);
  for_each_sent(graph, plan, [&](TaskId task, std::uint32_t first, std::uint32_t, Bytes size) {
    loads.add(plan.node_of(task), plan.node_of(graph.successors[first]), size);
  });
  return loads.most_loaded();
}

std::vector<WindowedWork> messages_of_link(std::uint32_t link, TaskGraph const& graph,
                                           ExecutionPlan const& plan, ShortestDurations const& shortest,
                                           Topology const& topology, TimeGrid const& grid,
                                           MessageRules const& rules, TaskChains const& chains) {
  std::vector<WindowedWork> out;
  auto const own = [&](TaskId t) { return shortest.on_node(t, plan.node_of(t)); };
  LinkLoads const loads(topology, rules);
  for_each_sent(graph, plan, [&](TaskId task, std::uint32_t first, std::uint32_t last, Bytes size) {
    loads.for_each_link(plan.node_of(task), plan.node_of(graph.successors[first]), [&](std::uint32_t at) {
      if (at != link) return;
      WindowedWork message{.head = chains.before[task.index()].with_messages + own(task),
                           .work = loads.time(link, size).value / grid.tick().value};
      for (std::uint32_t s = first; s < last; ++s) {
        TaskId const reader = graph.successors[s];
        message.tail = std::max(message.tail, own(reader) + chains.after[reader.index()].with_messages);
      }
      out.push_back(message);
    });
  });
  std::ranges::stable_sort(out, {}, &WindowedWork::work);  // sums do not depend on the order of the messages
  return out;
}

}  // namespace factosim
