#include "simulator/tasks/plan/replica_numbering.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

namespace {

/// Returns the tasks that access each handle, in submission order.
TaskRows group_by_handle(TaskGraph const& graph) {
  return collect_rows(graph.handles.size(), [&](auto const& use) {
    for (std::uint32_t t = 0; t < graph.task_count(); ++t)
      for (DataAccess const a : graph.accesses_of(TaskId{t})) use(a.handle().index(), TaskId{t});
  });
}

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
    if (!owners_[placement][handle].valid()) return;
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

}  // namespace

bool number_replicas(TaskGraph const& graph, OwnersByPlacement const& owners,
                     std::span<NodeId const> node_of_task, std::size_t node_count, ExecutionPlan& plan) {
  return ReplicaNumbering(graph, owners, node_of_task, node_count, plan).number();
}

}  // namespace factosim
