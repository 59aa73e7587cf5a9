#include "simulator/tasks/plan/plan_execution.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

/// Returns the tasks that access each handle, in submission order.
TaskRows group_by_handle(TaskGraph const& graph) {
  return collect_rows<TaskId>(graph.handles.size(), [&](auto const& use) {
    for (std::uint32_t t = 0; t < graph.task_count(); ++t)
      for (DataAccess const a : graph.accesses_of(TaskId{t})) use(a.handle().index(), TaskId{t});
  });
}

/// Numbers the replicas of a graph whose tasks are placed, and assigns one to each access. Replicas are
/// numbered by node, then by handle, then in the order of their first use. Returns whether any handle is
/// written on another node than one that has read or written its previous version. O(accesses + replicas).
class ReplicaNumbering {
 public:
  ReplicaNumbering(TaskGraph const& graph, OwnersByPlacement const& owners,
                   std::span<NodeId const> node_of_task, std::size_t node_count, ExecutionPlan& plan)
      : graph_(graph), owners_(owners), node_of_task_(node_of_task), plan_(plan), here_(node_count) {
    plan.replica_of_access.resize(graph.accesses.size());
  }

  bool number() && {
    {
      TaskRows const by_handle = group_by_handle(graph_);
      for (std::uint32_t h = 0; h < graph_.handles.size(); ++h)
        number_handle(h, {by_handle.items.begin() + by_handle.begin[h],
                          by_handle.items.begin() + by_handle.begin[h + 1]});
    }
    sort_by_node();
    return overwrites_elsewhere_;
  }

 private:
  /// The replica of the current handle on one node; entries of other handles are out of date.
  struct Here {
    std::uint32_t handle = HandleId::none;
    ReplicaId replica;
    TaskId version;           // the task that wrote it; none: the initial version
    std::uint32_t epoch = 0;  // number of cache flushes before it was received
  };

  void number_handle(std::uint32_t handle, std::span<TaskId const> tasks) {
    begin_handle(handle, tasks);
    for (TaskId const t : tasks) number_access(handle, t, access_to(handle, t));
    // The last version is permanent where it was written.
    if (!graph_.handles[handle].temporary && here_[writer_node_.index()].handle == handle)
      plan_.replicas[here_[writer_node_.index()].replica.index()].owned = true;
  }

  void begin_handle(std::uint32_t handle, std::span<TaskId const> tasks) {
    version_ = TaskId{};
    users_node_ = NodeId{};
    several_users_ = false;
    std::size_t const placement = tasks.empty() ? 0 : graph_.placement(tasks.front());
    writer_node_ = owners_[placement][handle];
    if (!writer_node_.valid()) writer_node_ = NodeId{0};  // no task uses the handle
    bool const has_no_home = tasks.empty() && graph_.handles[handle].data == DataKind::scratch;
    if (!owners_[placement][handle].valid() || has_no_home) return;
    bool const overwritten =
        !tasks.empty() && !reads(graph_.accesses[access_to(handle, tasks.front())].mode());
    if (!overwritten) begin_replica(handle, writer_node_, true);
  }

  /// Returns the task's only access to the handle.
  [[nodiscard]] std::uint32_t access_to(std::uint32_t handle, TaskId task) const {
    std::uint32_t a = graph_.access_begin[task.index()];
    while (graph_.accesses[a].handle().value() != handle) ++a;
    return a;
  }

  void begin_replica(std::uint32_t handle, NodeId node, bool initial) {
    here_[node.index()] = {handle, ReplicaId{plan_.replicas.size()}, TaskId{}, 0};
    plan_.replicas.push_back({.handle = HandleId{handle}, .initial = initial});
    node_of_replica_.push_back(node);
  }

  void number_access(std::uint32_t handle, TaskId task, std::uint32_t access) {
    NodeId const node = node_of_task_[task.index()];
    Access const mode = graph_.accesses[access].mode();
    Here& here = here_[node.index()];
    bool const local = node == writer_node_;  // the writer keeps its version over cache flushes
    std::uint32_t const epoch = local || graph_.cache_flushes.empty() ? 0 : graph_.cache_epoch(task);
    bool const has_any = here.handle == handle;
    bool const has_it = has_any && here.version == version_ && (local || here.epoch == epoch);
    if (!has_any || (reads(mode) && !has_it)) {
      begin_replica(handle, node, false);
      here.version = version_;
      here.epoch = epoch;
    }
    plan_.replica_of_access[access] = here.replica;
    Replica& replica = plan_.replicas[here.replica.index()];
    ++replica.uses;
    FACTOSIM_ALWAYS(replica.uses != 0, "more uses of one datum on one node than 29 bits can count");
    if (!writes(mode)) return used_on(node);
    overwrites_elsewhere_ =
        overwrites_elsewhere_ || several_users_ || (users_node_.valid() && users_node_ != node);
    users_node_ = node;
    several_users_ = false;
    version_ = here.version = task;
    writer_node_ = node;
  }

  void used_on(NodeId node) {
    several_users_ = several_users_ || (users_node_.valid() && users_node_ != node);
    users_node_ = node;
  }

  /// Renumbers the replicas, which have been numbered by handle.
  void sort_by_node() {
    std::vector<std::uint32_t>& begin = plan_.first_replica;
    begin.assign(here_.size() + 1, 0);
    for (NodeId const node : node_of_replica_) ++begin[node.index() + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    std::vector<std::uint32_t> number(node_of_replica_.size());
    std::vector<Replica> sorted(node_of_replica_.size());
    for (std::size_t r = 0; r < number.size(); ++r) {
      number[r] = next[node_of_replica_[r].index()]++;
      sorted[number[r]] = plan_.replicas[r];
    }
    for (ReplicaId& r : plan_.replica_of_access) r = ReplicaId{number[r.index()]};
    plan_.replicas = std::move(sorted);
  }

  TaskGraph const& graph_;
  OwnersByPlacement const& owners_;
  std::span<NodeId const> node_of_task_;
  ExecutionPlan& plan_;
  std::vector<Here> here_;  // [nodes]
  std::vector<NodeId> node_of_replica_;
  // State of the current handle:
  TaskId version_;              // the task that wrote its current version; none: the initial version
  NodeId writer_node_;          // node of that task
  NodeId users_node_;           // node that wrote or read this version last; none: no task has used it
  bool several_users_ = false;  // several nodes have used this version
  // Of all handles: some task overwrites a version that another node has used.
  bool overwrites_elsewhere_ = false;
};

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
  // The removed edges may have been the only ones that ordered these.
  for (TaskEdge const& edge : edges_to_overwrites(graph, node_of_task))
    changes.added.emplace_back(edge.from.value(), edge.to.value());
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
  EdgeChanges const changes = edges_without_data(graph, node_of_task);
  if (!changes.removed.empty() || !changes.added.empty()) change_edges(graph, changes);
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

/// Checks that each task on another node reads only one output of a task: the one that `given_to` returns. Tasks are numbered
/// by submission.
void check_outputs(TaskGraph const& graph, std::span<NodeId const> node_of_task) {
  std::vector<TaskId> const source = sources(graph);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (std::uint32_t a = graph.access_begin[t]; a < graph.access_begin[t + 1]; ++a)
      FACTOSIM_ALWAYS(!source[a].valid() || node_of_task[source[a].index()] == node_of_task[t] ||
                          graph.accesses[a].handle() == graph.given_to(source[a], TaskId{t}),
                      "a task on another node reads two things that one task wrote");
}

/// Groups the successors on each other node by the handle that they read.
void successors_by_output(TaskGraph& graph, ExecutionPlan const& plan) {
  for (std::uint32_t n = 0; n + 1 < plan.first_task.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) {
      auto const begin = graph.successors.begin() + graph.successor_begin[t];
      auto const end = graph.successors.begin() + graph.successor_begin[t + 1];
      auto const elsewhere = std::find_if(begin, end, [&](TaskId s) { return !plan.runs_on(s, NodeId{n}); });
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

/// Returns the plan for the given nodes of tasks: [tasks]. `has_waits`: edges may be waits of the host, which are of each node
/// for its own tasks.
ExecutionPlan plan_placed(TaskGraph& graph, OwnersByPlacement const& owners, std::vector<NodeId> node_of_task,
                          std::size_t node_count, bool has_waits = false) {
  ExecutionPlan plan;
  plan.first_task.assign(node_count + 1, 0);
  for (NodeId const node : node_of_task) ++plan.first_task[node.index() + 1];
  std::partial_sum(plan.first_task.begin(), plan.first_task.end(), plan.first_task.begin());
  bool const overwrites_elsewhere = ReplicaNumbering(graph, owners, node_of_task, node_count, plan).number();
  if (node_count == 1) return plan;
  if (overwrites_elsewhere || has_waits) replace_edges_without_data(graph, node_of_task);
  bool const has_several_outputs = writes_several(graph);
  if (has_several_outputs) check_outputs(graph, node_of_task);
  group_tasks(graph, std::move(node_of_task), plan);
  own_successors_first(graph, plan);
  if (has_several_outputs) successors_by_output(graph, plan);
  count_sends(graph, plan);
  return plan;
}

}  // namespace

std::vector<TaskEdge> edges_to_overwrites(TaskGraph const& graph, std::span<NodeId const> node_of_task) {
  std::vector<bool> used(graph.handles.size(), false), overwritten(used);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (DataAccess const a : graph.accesses_of(TaskId{t})) {
      if (!reads(a.mode()) && used[a.handle().index()]) overwritten[a.handle().index()] = true;
      used[a.handle().index()] = true;
    }
  std::vector<TaskEdge> out;
  std::map<std::pair<HandleId, NodeId>, std::vector<TaskId>> users;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (DataAccess const a : graph.accesses_of(TaskId{t})) {
      if (!overwritten[a.handle().index()]) continue;
      std::vector<TaskId>& here = users[{a.handle(), node_of_task[t]}];
      if (!reads(a.mode()))
        for (TaskId const user : here) out.push_back({user, TaskId{t}});
      if (writes(a.mode())) here.clear();
      here.emplace_back(t);
    }
  return out;
}

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
                     node_count, true);
}

}  // namespace factosim
