#include "simulator/runtime/execution_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "simulator/core/error.hpp"
#include "simulator/runtime/replica_numbering.hpp"

namespace factosim {

namespace {

void place_tasks(TaskGraph const& graph, OwnersByPlacement const& owners, ExecutionPlan& plan) {
  plan.node_of_task.resize(graph.task_count());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    HandleId const written = graph.written_by(TaskId{t});
    FACTOSIM_ALWAYS(written.valid(), "a task writes nothing, so no node owns it");
    plan.node_of_task[t] = owners[graph.placement(TaskId{t})][written.index()];
    FACTOSIM_ALWAYS(plan.node_of_task[t].valid(), "a task writes a tile that no node owns");
  }
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // from, to

/// Whether `reader` reads what `writer` wrote.
bool reads_from(TaskGraph const& graph, std::span<TaskId const> source, TaskId reader, TaskId writer) {
  for (std::uint32_t a = graph.access_begin[reader.index()]; a < graph.access_begin[reader.index() + 1]; ++a)
    if (source[a] == writer) return true;
  return false;
}

/// Edges between nodes that carry no data, and those that have to take their place.
struct EdgeChanges {
  std::vector<Edge> gone, added;  // sorted
};

EdgeChanges edges_without_data(TaskGraph const& graph, ExecutionPlan const& plan,
                               std::span<TaskId const> source) {
  EdgeChanges changes;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (TaskId const s : graph.successors_of(TaskId{t}))
      if (plan.node_of_task[t] != plan.node_of_task[s.index()] && !reads_from(graph, source, s, TaskId{t})) {
        changes.gone.emplace_back(t, s.value());
        for (std::uint32_t a = graph.access_begin[s.index()]; a < graph.access_begin[s.index() + 1]; ++a)
          if (source[a].valid() && writes(graph.accesses[a].mode()))
            changes.added.emplace_back(source[a].value(), s.value());
      }
  std::sort(changes.added.begin(), changes.added.end());
  changes.added.erase(std::unique(changes.added.begin(), changes.added.end()), changes.added.end());
  std::erase_if(changes.added, [&](Edge const& e) {
    auto const known = graph.successors_of(TaskId{e.first});
    return std::find(known.begin(), known.end(), TaskId{e.second}) != known.end();
  });
  return changes;
}

void change_edges(TaskGraph& graph, EdgeChanges const& changes) {
  std::vector<TaskId> successors;
  std::vector<std::uint32_t> begin{0};
  auto gone = changes.gone.begin();
  auto added = changes.added.begin();
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    for (TaskId const s : graph.successors_of(TaskId{t})) {
      if (gone != changes.gone.end() && *gone == Edge{t, s.value()}) {
        --graph.predecessors[s.index()];
        ++gone;
      } else {
        successors.push_back(s);
      }
    }
    for (; added != changes.added.end() && added->first == t; ++added) {
      successors.emplace_back(added->second);
      ++graph.predecessors[added->second];
    }
    std::sort(successors.begin() + begin.back(), successors.end());
    begin.push_back(static_cast<std::uint32_t>(successors.size()));
  }
  graph.successors = std::move(successors);
  graph.successor_begin = std::move(begin);
}

void group_successors(TaskGraph& graph, ExecutionPlan const& plan) {
  for (std::size_t t = 0; t < graph.task_count(); ++t) {
    NodeId const home = plan.node_of_task[t];
    auto rank = [&](TaskId s) {  // own node first, then by number
      NodeId const node = plan.node_of_task[s.index()];
      return node == home ? 0U : node.value() + 1;
    };
    std::sort(graph.successors.begin() + graph.successor_begin[t],
              graph.successors.begin() + graph.successor_begin[t + 1],
              [&](TaskId a, TaskId b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
  }
}

/// Calls `use(task, first successor)` for each message.
template <class Use>
void for_each_message(TaskGraph const& graph, ExecutionPlan const& plan, Use const& use) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    std::uint32_t const end = graph.successor_begin[t + 1];
    std::uint32_t s = graph.successor_begin[t];
    while (s < end && plan.node_of_task[graph.successors[s].index()] == plan.node_of_task[t]) ++s;
    for (; s < end; s = end_of_message(graph, plan, TaskId{t}, s)) use(TaskId{t}, s);
  }
}

/// What is sent from a replica that does not stay is a use of it.
void count_sends(TaskGraph const& graph, ExecutionPlan& plan) {
  for_each_message(graph, plan, [&](TaskId task, std::uint32_t) {
    auto const accesses = graph.accesses_of(task);
    std::size_t i = 0;
    while (!writes(accesses[i].mode())) ++i;
    std::uint32_t const replica = plan.replicas_of(graph, task)[i];
    if (!plan.replica_owned[replica]) ++plan.replica_uses[replica];
  });
}

/// All of the plan but where tasks run.
void number_and_link(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count,
                     ExecutionPlan& plan) {
  std::vector<TaskId> const source = number_replicas(graph, owners, plan, node_count);
  if (node_count == 1) return;
  EdgeChanges const changes = edges_without_data(graph, plan, source);
  if (!changes.gone.empty()) change_edges(graph, changes);
  group_successors(graph, plan);
  count_sends(graph, plan);
}

}  // namespace

std::uint32_t end_of_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                             std::uint32_t first) {
  std::uint32_t const end = graph.successor_begin[task.index() + 1];
  NodeId const node = plan.node_of_task[graph.successors[first].index()];
  std::uint32_t const epoch = graph.cache_flushes.empty() ? 0 : graph.cache_epoch(graph.successors[first]);
  std::uint32_t last = first + 1;
  while (last < end && plan.node_of_task[graph.successors[last].index()] == node &&
         !graph.flushes(graph.successors[last - 1]) &&
         (graph.cache_flushes.empty() || graph.cache_epoch(graph.successors[last]) == epoch))
    ++last;
  return last;
}

ExecutionPlan plan_execution(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count) {
  for (auto const& owner : owners)
    FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "every handle has an owner");
  ExecutionPlan plan;
  place_tasks(graph, owners, plan);
  number_and_link(graph, owners, node_count, plan);
  return plan;
}

ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count) {
  return plan_execution(graph, OwnersByPlacement{{owner.begin(), owner.end()}}, node_count);
}

ExecutionPlan plan_recorded_execution(TaskGraph& graph, std::span<NodeId const> owner,
                                      std::span<NodeId const> node_of_task, std::size_t node_count) {
  FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "every handle has an owner");
  FACTOSIM_EXPECT(node_of_task.size() == graph.task_count(), "every task has a node");
  ExecutionPlan plan;
  plan.node_of_task.assign(node_of_task.begin(), node_of_task.end());
  number_and_link(graph, {{owner.begin(), owner.end()}}, node_count, plan);
  return plan;
}

std::vector<MessageCount> count_messages_by_phase(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::map<std::tuple<std::size_t, std::size_t, DataKind>, MessageCount> counts;
  for_each_message(graph, plan, [&](TaskId task, std::uint32_t s) {
    auto const phase = [&](TaskId t) {
      return graph.phase.empty() ? std::size_t{0} : graph.phase[t.index()];
    };
    HandleInfo const& handle = graph.handles[graph.written_by(task).index()];
    std::size_t const from = phase(task), to = phase(graph.successors[s]);
    MessageCount& count = counts[{from, to, handle.data}];
    count.from = from;
    count.to = to;
    count.data = handle.data;
    ++count.messages;
    count.bytes += handle.size;
  });
  std::vector<MessageCount> out;
  for (auto const& [key, count] : counts) out.push_back(count);
  return out;
}

std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::uint64_t messages = 0;
  for_each_message(graph, plan, [&](TaskId, std::uint32_t) { ++messages; });
  return messages;
}

}  // namespace factosim
