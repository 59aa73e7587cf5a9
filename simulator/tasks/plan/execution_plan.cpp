#include "simulator/tasks/plan/execution_plan.hpp"

#include <map>
#include <tuple>

namespace factosim {

std::uint32_t end_of_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                             std::uint32_t first) {
  std::uint32_t const end = graph.successor_begin[task.index() + 1];
  NodeId const node = plan.node_of(graph.successors[first]);
  std::uint32_t const epoch = graph.cache_flushes.empty() ? 0 : graph.cache_epoch(graph.successors[first]);
  HandleId const given = graph.given_to(task, graph.successors[first]);
  std::uint32_t last = first + 1;
  while (last < end && plan.runs_on(graph.successors[last], node) &&
         graph.given_to(task, graph.successors[last]) == given &&
         !graph.flushes(graph.successors[last - 1], given) &&
         (graph.cache_flushes.empty() || graph.cache_epoch(graph.successors[last]) == epoch))
    ++last;
  return last;
}

std::vector<NodeId> last_owners(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<NodeId> owner(graph.handles.size());
  for (std::uint32_t n = 0; n + 1 < plan.first_replica.size(); ++n)
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      if (r.owned) owner[r.handle.index()] = NodeId{n};
  return owner;
}

std::vector<MessageCount> count_messages_by_phase(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::map<std::tuple<std::size_t, std::size_t, DataKind>, MessageCount> counts;
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t s) {
    auto const phase = [&](TaskId t) {
      return graph.phase.empty() ? std::size_t{0} : graph.phase[t.index()];
    };
    HandleInfo const& handle = graph.handles[graph.given_to(task, graph.successors[s]).index()];
    std::size_t const from = phase(task), to = phase(graph.successors[s]);
    MessageCount& count = counts[{from, to, handle.data}];
    count.from = from;
    count.to = to;
    count.data = handle.data;
    ++count.messages;
    count.bytes += handle.size;
  });
  std::vector<MessageCount> out;
  out.reserve(counts.size());
  for (auto const& [key, count] : counts) out.push_back(count);
  return out;
}

std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::uint64_t messages = 0;
  for_all_messages(graph, plan, [&](TaskId, std::uint32_t) { ++messages; });
  return messages;
}

}  // namespace factosim
