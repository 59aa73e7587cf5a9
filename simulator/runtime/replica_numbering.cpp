#include "simulator/runtime/replica_numbering.hpp"

#include <algorithm>

namespace factosim {

namespace {

/// Accesses grouped by handle, in submission order: positions into TaskGraph::accesses.
struct AccessesByHandle {
  std::vector<std::uint32_t> begin;   // [handles + 1]
  std::vector<std::uint32_t> access;  // [accesses]
};

AccessesByHandle group_by_handle(TaskGraph const& graph) {
  AccessesByHandle out;
  out.begin.assign(graph.handles.size() + 1, 0);
  for (DataAccess const& a : graph.accesses) ++out.begin[a.handle().index() + 1];
  for (std::size_t h = 0; h < graph.handles.size(); ++h) out.begin[h + 1] += out.begin[h];
  out.access.resize(graph.accesses.size());
  std::vector<std::uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t a = 0; a < graph.accesses.size(); ++a)
    out.access[next[graph.accesses[a].handle().index()]++] = static_cast<std::uint32_t>(a);
  return out;
}

class ReplicaNumbering {
 public:
  ReplicaNumbering(TaskGraph const& graph, OwnersByPlacement const& owners, ExecutionPlan& plan,
                   std::size_t node_count)
      : graph_(graph), owners_(owners), plan_(plan), here_(node_count), source_(graph.accesses.size()) {
    task_of_access_.resize(graph.accesses.size());
    for (std::uint32_t t = 0; t < graph.task_count(); ++t)
      std::fill(task_of_access_.begin() + graph.access_begin[t],
                task_of_access_.begin() + graph.access_begin[t + 1], TaskId{t});
    plan.replica_of_access.resize(graph.accesses.size());
    plan.replicas_of_node.assign(node_count, 0);
  }

  std::vector<TaskId> number() && {
    AccessesByHandle const by_handle = group_by_handle(graph_);
    for (std::uint32_t h = 0; h < graph_.handles.size(); ++h) {
      auto const first = by_handle.access.begin() + by_handle.begin[h];
      auto const last = by_handle.access.begin() + by_handle.begin[h + 1];
      begin_handle(h, {first, last});
      for (auto a = first; a != last; ++a) number_access(h, *a);
      // The last version stays where it was written.
      if (here_[writer_node_.index()].handle == h)
        plan_.replica_owned[here_[writer_node_.index()].replica] = true;
    }
    return std::move(source_);
  }

 private:
  /// What a node has of the handle at hand; older entries are of other handles.
  struct Here {
    std::uint32_t handle = HandleId::none;
    std::uint32_t replica = 0;
    TaskId version;           // which task wrote it; none: the initial value
    std::uint32_t epoch = 0;  // of the cache when it was received
  };

  void begin_handle(std::uint32_t handle, std::span<std::uint32_t const> accesses) {
    version_ = TaskId{};
    std::size_t const placement = accesses.empty() ? 0 : graph_.placement(task_of_access_[accesses.front()]);
    writer_node_ = owners_[placement][handle];
    if (!writer_node_.valid()) writer_node_ = NodeId{0};  // nothing uses it
    if (!owners_[placement][handle].valid()) return;
    bool const overwritten = !accesses.empty() && !reads(graph_.accesses[accesses.front()].mode());
    if (!overwritten) begin_replica(handle, writer_node_, true);
  }

  std::uint32_t begin_replica(std::uint32_t handle, NodeId node, bool initial) {
    auto const replica = static_cast<std::uint32_t>(plan_.replica_count());
    plan_.replica_handle.emplace_back(handle);
    plan_.replica_node.push_back(node);
    plan_.replica_local.push_back(plan_.replicas_of_node[node.index()]++);
    plan_.replica_uses.push_back(0);
    plan_.replica_owned.push_back(false);
    plan_.replica_initial.push_back(initial);
    here_[node.index()] = {handle, replica, TaskId{}, 0};
    return replica;
  }

  void number_access(std::uint32_t handle, std::uint32_t access) {
    TaskId const task = task_of_access_[access];
    NodeId const node = plan_.node_of_task[task.index()];
    Access const mode = graph_.accesses[access].mode();
    Here& here = here_[node.index()];
    bool const local = node == writer_node_;  // what is written here needs no cache
    std::uint32_t const epoch = local || graph_.cache_flushes.empty() ? 0 : graph_.cache_epoch(task);
    bool const has_any = here.handle == handle;
    bool const has_it = has_any && here.version == version_ && (local || here.epoch == epoch);
    if (!has_any || (reads(mode) && !has_it)) {
      begin_replica(handle, node, false);
      here.version = version_;
      here.epoch = epoch;
    }
    plan_.replica_of_access[access] = here.replica;
    ++plan_.replica_uses[here.replica];
    if (reads(mode)) source_[access] = version_;
    if (!writes(mode)) return;
    version_ = here.version = task;
    writer_node_ = node;
  }

  TaskGraph const& graph_;
  OwnersByPlacement const& owners_;
  ExecutionPlan& plan_;
  std::vector<TaskId> task_of_access_;  // [accesses]
  std::vector<Here> here_;              // [nodes]
  std::vector<TaskId> source_;          // [accesses]
  TaskId version_;                      // of the handle at hand
  NodeId writer_node_;                  // who wrote it
};

}  // namespace

std::vector<TaskId> number_replicas(TaskGraph const& graph, OwnersByPlacement const& owners,
                                    ExecutionPlan& plan, std::size_t node_count) {
  return ReplicaNumbering(graph, owners, plan, node_count).number();
}

}  // namespace factosim
