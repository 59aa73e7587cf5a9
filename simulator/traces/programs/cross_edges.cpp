#include "simulator/traces/programs/cross_edges.hpp"

#include <algorithm>
#include <map>

#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

class NodeConnector {
 public:
  NodeConnector(TaskGraph& graph, std::vector<NodeId>& owners, std::span<NodeId const> node_of_task,
                std::span<std::pair<TaskId, TaskId> const> explicit_edges)
      : graph_(graph), owners_(owners), node_(node_of_task), explicit_edges_(explicit_edges) {
    for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
      auto const accesses = graph.accesses_of(TaskId{t});
      accesses_.emplace_back(accesses.begin(), accesses.end());
    }
  }

  std::size_t connect() {
    add_implied();
    copy_inputs();
    std::vector<TaskId> writer(graph_.handles.size());
    for (std::uint32_t t = 0; t < graph_.task_count(); ++t) {
      std::vector<DataAccess> const before = accesses_[t];  // accesses_[t] changes
      join_inputs(TaskId{t}, before, writer);
      writer.resize(graph_.handles.size());
      for (DataAccess const a : accesses_[t])
        if (writes(a.mode())) writer[a.handle().index()] = TaskId{t};
    }
    for (auto const& [before, after] : explicit_edges_) carry_nothing(before, after);
    if (changed_) rebuild();
    return joined_;
  }

 private:
  [[nodiscard]] NodeId node(TaskId t) const { return node_[t.index()]; }

  HandleId add_handle(Bytes size, NodeId owner) {
    graph_.handles.push_back({.size = size, .m = -1, .n = -1, .owner = owner});
    owners_.push_back(owner);
    changed_ = true;
    return HandleId{graph_.handles.size() - 1};
  }

  /// Adds the edges that other tasks on the way make unnecessary on one node: a task that updates a datum after others have
  /// read it follows these, and through them its writer; but only an edge brings it the data. And those to tasks that
  /// overwrite a datum: its users on their node may be joined with them only through other nodes, or get another datum in
  /// its place here.
  void add_implied() {
    std::vector<TaskEdge> edges = edges_to_overwrites(graph_, node_);
    std::vector<TaskId> writer(graph_.handles.size());
    for (std::uint32_t t = 0; t < graph_.task_count(); ++t)
      for (DataAccess const a : accesses_[t]) {
        TaskId& source = writer[a.handle().index()];
        if (source.valid() && reads(a.mode()) && node(source) != node(TaskId{t}))
          edges.push_back({source, TaskId{t}});
        if (writes(a.mode())) source = TaskId{t};
      }
    TaskRows const known = transpose(graph_.successor_begin, graph_.successors);
    std::erase_if(edges, [&](TaskEdge const& edge) {
      return std::ranges::binary_search(known.of(edge.to.index()), edge.from);
    });
    add(std::move(edges));
  }

  /// Adds the edges, which the graph has not; some may be given twice.
  void add(std::vector<TaskEdge> edges) {
    if (edges.empty()) return;
    auto const order = [](TaskEdge const& edge) { return std::pair(edge.from, edge.to); };
    std::ranges::sort(edges, {}, order);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    for (TaskEdge const& edge : edges) ++graph_.predecessors[edge.to.index()];
    for (std::uint32_t t = 0; t < graph_.task_count(); ++t)
      for (TaskId const s : graph_.successors_of(TaskId{t})) edges.push_back({TaskId{t}, s});
    std::ranges::sort(edges, {}, order);
    TaskRows rows = rows_of(graph_.task_count(), edges);
    graph_.successor_begin = std::move(rows.begin);
    graph_.successors = std::move(rows.items);
  }

  /// Gives each node that reads initial data, which no task has written, a replica of its own from the start.
  void copy_inputs() {
    std::vector<bool> written(graph_.handles.size(), false);
    std::map<std::pair<HandleId, NodeId>, HandleId> copies;
    for (std::uint32_t t = 0; t < accesses_.size(); ++t) {
      std::vector<DataAccess> copied;
      for (DataAccess& a : accesses_[t]) {
        HandleId const h = a.handle();
        if (!reads(a.mode()) || written[h.index()] || owners_[h.index()] == node_[t]) continue;
        auto const [place, is_new] = copies.try_emplace({h, node_[t]});
        if (is_new) place->second = add_handle(graph_.handles[h.index()].size, node_[t]);
        if (writes(a.mode())) copied.emplace_back(place->second, Access::read);
        a = writes(a.mode()) ? DataAccess(h, Access::write) : DataAccess(place->second, Access::read);
        changed_ = true;
      }
      accesses_[t].insert(accesses_[t].end(), copied.begin(), copied.end());
      written.resize(graph_.handles.size(), false);
      for (DataAccess const a : accesses_[t])
        if (writes(a.mode())) written[a.handle().index()] = true;
    }
  }

  void join_inputs(TaskId t, std::vector<DataAccess> const& accesses, std::vector<TaskId> const& writer) {
    std::map<TaskId, std::vector<HandleId>> from;  // task on another node, what it wrote
    for (DataAccess const a : accesses)
      if (TaskId const source = writer[a.handle().index()];
          reads(a.mode()) && source.valid() && node(source) != node(t))
        from[source].push_back(a.handle());
    for (auto const& [source, handles] : from) {
      if (handles.size() > 1 || is_ambiguous(source, handles.front(), accesses)) join(source, t, handles);
      carried_.emplace_back(source, t);
    }
  }

  /// Returns whether the reader also reads another datum that the task writes before this one, but as a third task left
  /// it: TaskGraph::given_to would take that one for what the task gives.
  [[nodiscard]] bool is_ambiguous(TaskId source, HandleId given,
                                  std::vector<DataAccess> const& reader) const {
    for (DataAccess const a : accesses_[source.index()]) {
      if (a.handle() == given) return false;
      if (!writes(a.mode())) continue;
      for (DataAccess const other : reader)
        if (other.handle() == a.handle() && reads(other.mode())) return true;
    }
    return false;
  }

  /// A task gives the first datum that it writes and the reader reads.
  void write_first(TaskId task, HandleId handle) {
    std::vector<DataAccess>& accesses = accesses_[task.index()];
    accesses.insert(accesses.begin(), DataAccess(handle, Access::write));
  }

  void join(TaskId source, TaskId t, std::vector<HandleId> const& handles) {
    auto const [place, is_new] = joined_handles_.try_emplace({source, handles});
    if (is_new) {
      Bytes sum;
      for (HandleId const h : handles) sum += graph_.handles[h.index()].size;
      place->second = add_handle(sum, node(source));
      write_first(source, place->second);
    }
    std::vector<DataAccess> rest;
    for (DataAccess const a : accesses_[t.index()]) {
      bool const part = std::ranges::find(handles, a.handle()) != handles.end();
      if (!part) rest.push_back(a);
      if (part && writes(a.mode())) rest.emplace_back(a.handle(), Access::write);
    }
    rest.emplace_back(place->second, Access::read);
    accesses_[t.index()] = std::move(rest);
    ++joined_;
  }

  void carry_nothing(TaskId before, TaskId after) {
    if (node(before) == node(after)) return;
    if (!sorted_) std::ranges::sort(carried_);
    sorted_ = true;
    if (std::ranges::binary_search(carried_, std::pair(before, after))) return;
    auto const [place, is_new] = empty_.try_emplace(before);
    if (is_new) {
      place->second = add_handle(Bytes{0}, node(before));
      write_first(before, place->second);
    }
    accesses_[after.index()].emplace_back(place->second, Access::read);
  }

  void rebuild() {
    graph_.accesses.clear();
    graph_.access_begin.assign(1, 0);
    for (auto const& of_task : accesses_) {
      graph_.accesses.insert(graph_.accesses.end(), of_task.begin(), of_task.end());
      graph_.access_begin.push_back(static_cast<std::uint32_t>(graph_.accesses.size()));
    }
  }

  TaskGraph& graph_;
  std::vector<NodeId>& owners_;
  std::span<NodeId const> node_;
  std::span<std::pair<TaskId, TaskId> const> explicit_edges_;
  std::vector<std::vector<DataAccess>> accesses_;  // [tasks]
  std::map<std::pair<TaskId, std::vector<HandleId>>, HandleId> joined_handles_;
  std::map<TaskId, HandleId> empty_;                // data of 0 bytes
  std::vector<std::pair<TaskId, TaskId>> carried_;  // edges between nodes with data
  bool sorted_ = false, changed_ = false;
  std::size_t joined_ = 0;
};

}  // namespace

std::size_t connect_nodes(TaskGraph& graph, std::vector<NodeId>& owners, std::span<NodeId const> node_of_task,
                          std::span<std::pair<TaskId, TaskId> const> explicit_edges) {
  return NodeConnector(graph, owners, node_of_task, explicit_edges).connect();
}

}  // namespace factosim
