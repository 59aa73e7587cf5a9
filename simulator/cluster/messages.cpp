#include "simulator/cluster/messages.hpp"

#include <algorithm>

namespace factosim {

MessageId Messages::create(PlannedMessage const& plan) {
  TaskGraph const& graph = inputs_.graph;
  auto const tasks = readers(plan);
  std::int32_t priority = 0;
  if (inputs_.options.sends_by_priority) {
    priority = graph.priority[tasks.front().index()];
    for (TaskId const task : tasks.subspan(1)) priority = std::max(priority, graph.priority[task.index()]);
  }
  HandleId const handle = graph.given_to(plan.producer, tasks.front());
  ReplicaId const source = inputs_.plan.replica_of(graph, plan.producer, handle);
  return pool_.add({.plan = plan,
                    .replica = inputs_.plan.replica_of(graph, tasks.front(), handle),
                    .priority = priority,
                    .source = inputs_.plan.node_of(plan.producer),
                    .first_child = {},
                    .next_child = {},
                    .broadcast = {},
                    .source_replica = inputs_.plan.replicas[source.index()].owned ? ReplicaId{} : source});
}

Seconds Messages::latency(MessageId id) const {
  Topology::RouteBuffer scratch;
  return topology_.route(topology_.ram_of(pool_[id].source), topology_.ram_of(destination(id)), scratch)
      .latency;
}

}  // namespace factosim
