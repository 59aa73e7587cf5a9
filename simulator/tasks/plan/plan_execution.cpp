#include "simulator/tasks/plan/plan_execution.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/renumber.hpp"
#include "simulator/tasks/plan/replica_numbering.hpp"

namespace factosim {

namespace {

/// Returns the node of each task: [tasks].
std::vector<NodeId> place_tasks(TaskGraph const& graph, OwnersByPlacement const& owners) {
  std::vector<NodeId> node_of_task;
  node_of_task.reserve(graph.task_count());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    HandleId const written = graph.written_by(TaskId{t});
    FACTOSIM_ALWAYS(written.valid(), "a task writes nothing, so no node owns it");
    node_of_task.push_back(owners[graph.placement(TaskId{t})][written.index()]);
    FACTOSIM_ALWAYS(node_of_task.back().valid(), "a task writes a tile that no node owns");
  }
  return node_of_task;
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // from, to

/// Returns for each access the task that wrote the version that it reads: [accesses]. None for the initial
/// version and for accesses that do not read.
std::vector<TaskId> sources(TaskGraph const& graph) {
  std::vector<TaskId> out(graph.accesses.size()), writer(graph.handles.size());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (std::uint32_t a = graph.access_begin[t]; a < graph.access_begin[t + 1]; ++a) {
      TaskId& last = writer[graph.accesses[a].handle().index()];
      if (reads(graph.accesses[a].mode())) out[a] = last;
      if (writes(graph.accesses[a].mode())) last = TaskId{t};
    }
  return out;
}

/// Returns whether `reader` reads an output of `writer`.
bool reads_from(TaskGraph const& graph, std::span<TaskId const> source, TaskId reader, TaskId writer) {
  for (std::uint32_t a = graph.access_begin[reader.index()]; a < graph.access_begin[reader.index() + 1]; ++a)
    if (source[a] == writer) return true;
  return false;
}

/// Edges between nodes that carry no data, and the edges that replace them.
struct EdgeChanges {
  std::vector<Edge> removed, added;  // sorted
};

/// Adds edges to each task that overwrites a handle unread from the tasks that have used the handle on its
/// node since that node last wrote it: the removed edges may have been the only ones that ordered them.
void order_overwrites(TaskGraph const& graph, std::span<NodeId const> node_of_task, EdgeChanges& changes) {
  std::vector<bool> waits_less(graph.task_count(), false);
  for (Edge const& edge : changes.removed) waits_less[edge.second] = true;
  auto const overwrites = [&](std::uint32_t t) {
    auto const accesses = graph.accesses_of(TaskId{t});
    return waits_less[t] &&
           std::any_of(accesses.begin(), accesses.end(), [](DataAccess a) { return !reads(a.mode()); });
  };
  std::uint32_t last = 0;  // one past the last task that overwrites a handle unread
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    if (overwrites(t)) last = t + 1;
  std::map<std::pair<HandleId, NodeId>, std::vector<std::uint32_t>> users;
  for (std::uint32_t t = 0; t < last; ++t)
    for (DataAccess const a : graph.accesses_of(TaskId{t})) {
      std::vector<std::uint32_t>& here = users[{a.handle(), node_of_task[t]}];
      if (waits_less[t] && !reads(a.mode()))
        for (std::uint32_t const user : here) changes.added.emplace_back(user, t);
      if (writes(a.mode())) here.clear();
      here.push_back(t);
    }
}

EdgeChanges edges_without_data(TaskGraph const& graph, std::span<NodeId const> node_of_task) {
  std::vector<TaskId> const source = sources(graph);
  EdgeChanges changes;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (TaskId const s : graph.successors_of(TaskId{t}))
      if (node_of_task[t] != node_of_task[s.index()] && !reads_from(graph, source, s, TaskId{t})) {
        changes.removed.emplace_back(t, s.value());
        for (std::uint32_t a = graph.access_begin[s.index()]; a < graph.access_begin[s.index() + 1]; ++a)
          if (source[a].valid() && writes(graph.accesses[a].mode()))
            changes.added.emplace_back(source[a].value(), s.value());
      }
  order_overwrites(graph, node_of_task, changes);
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
  auto removed = changes.removed.begin();
  auto added = changes.added.begin();
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    for (TaskId const s : graph.successors_of(TaskId{t})) {
      if (removed != changes.removed.end() && *removed == Edge{t, s.value()}) {
        --graph.predecessors[s.index()];
        ++removed;
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
  FACTOSIM_ALWAYS(successors.size() < TaskId::none, "more edges than 32 bits can number");
  graph.successors = std::move(successors);
  graph.successor_begin = std::move(begin);
}

void replace_edges_without_data(TaskGraph& graph, std::span<NodeId const> node_of_task) {
  if (EdgeChanges const changes = edges_without_data(graph, node_of_task); !changes.removed.empty())
    change_edges(graph, changes);
}

/// Renumbers the tasks by node.
void group_tasks(TaskGraph& graph, std::vector<NodeId> node_of_task, ExecutionPlan& plan) {
  std::vector<std::uint32_t> next(plan.first_task.begin(), plan.first_task.end() - 1);
  std::vector<std::uint32_t> order(node_of_task.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) order[next[node_of_task[t].index()]++] = t;
  node_of_task = {};  // frees its memory
  renumber_tasks(graph, std::move(order), plan.replica_of_access);
}

/// Moves the successors on the own node to the front; successors are sorted by number, so by node.
void own_successors_first(TaskGraph& graph, ExecutionPlan const& plan) {
  for (std::uint32_t n = 0; n + 1 < plan.first_task.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) {
      auto const begin = graph.successors.begin() + graph.successor_begin[t];
      auto const end = graph.successors.begin() + graph.successor_begin[t + 1];
      auto const own = std::lower_bound(begin, end, TaskId{plan.first_task[n]});
      std::rotate(begin, own, std::lower_bound(own, end, TaskId{plan.first_task[n + 1]}));
    }
}

/// Returns whether some task writes several handles.
bool writes_several(TaskGraph const& graph) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    auto const accesses = graph.accesses_of(TaskId{t});
    if (std::count_if(accesses.begin(), accesses.end(), [](DataAccess a) { return writes(a.mode()); }) > 1)
      return true;
  }
  return false;
}

/// Groups the successors on each other node by the handle that they read. Checks that each of them reads
/// only one output of the task: the one that `given_to` returns.
void successors_by_output(TaskGraph& graph, ExecutionPlan const& plan) {
  std::vector<TaskId> const source = sources(graph);
  for (std::uint32_t n = 0; n + 1 < plan.first_task.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) {
      auto const begin = graph.successors.begin() + graph.successor_begin[t];
      auto const end = graph.successors.begin() + graph.successor_begin[t + 1];
      auto const elsewhere = std::find_if(begin, end, [&](TaskId s) { return !plan.runs_on(s, NodeId{n}); });
      for (auto s = elsewhere; s != end; ++s)
        for (std::uint32_t a = graph.access_begin[s->index()]; a < graph.access_begin[s->index() + 1]; ++a)
          FACTOSIM_ALWAYS(
              source[a] != TaskId{t} || graph.accesses[a].handle() == graph.given_to(TaskId{t}, *s),
              "a task on another node reads two things that one task wrote");
      std::stable_sort(elsewhere, end, [&](TaskId a, TaskId b) {
        return std::pair(plan.node_of(a), graph.given_to(TaskId{t}, a)) <
               std::pair(plan.node_of(b), graph.given_to(TaskId{t}, b));
      });
    }
}

/// Counts each message from a replica that is not permanent as a use of it.
void count_sends(TaskGraph const& graph, ExecutionPlan& plan) {
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t first) {
    ReplicaId const id = plan.replica_of(graph, task, graph.given_to(task, graph.successors[first]));
    if (Replica& replica = plan.replicas[id.index()]; !replica.owned) ++replica.uses;
  });
}

/// Returns the plan for the given nodes of tasks: [tasks].
ExecutionPlan plan_placed(TaskGraph& graph, OwnersByPlacement const& owners, std::vector<NodeId> node_of_task,
                          std::size_t node_count) {
  ExecutionPlan plan;
  plan.first_task.assign(node_count + 1, 0);
  for (NodeId const node : node_of_task) ++plan.first_task[node.index() + 1];
  std::partial_sum(plan.first_task.begin(), plan.first_task.end(), plan.first_task.begin());
  bool const overwrites_elsewhere = number_replicas(graph, owners, node_of_task, node_count, plan);
  if (node_count == 1) return plan;
  if (overwrites_elsewhere) replace_edges_without_data(graph, node_of_task);
  group_tasks(graph, std::move(node_of_task), plan);
  own_successors_first(graph, plan);
  if (writes_several(graph)) successors_by_output(graph, plan);
  count_sends(graph, plan);
  return plan;
}

}  // namespace

ExecutionPlan plan_execution(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count) {
  for ([[maybe_unused]] auto const& owner : owners)
    FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "every handle has an owner");
  number_by_submission(graph);
  return plan_placed(graph, owners, place_tasks(graph, owners), node_count);
}

ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count) {
  return plan_execution(graph, OwnersByPlacement{{owner.begin(), owner.end()}}, node_count);
}

ExecutionPlan plan_recorded_execution(TaskGraph& graph, std::span<NodeId const> owner,
                                      std::span<NodeId const> node_of_task, std::size_t node_count) {
  FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "every handle has an owner");
  FACTOSIM_EXPECT(node_of_task.size() == graph.task_count(), "every task has a node");
  number_by_submission(graph);
  return plan_placed(graph, {{owner.begin(), owner.end()}}, {node_of_task.begin(), node_of_task.end()},
                     node_count);
}

}  // namespace factosim
