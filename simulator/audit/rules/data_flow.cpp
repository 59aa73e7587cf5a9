#include "simulator/audit/rules/data_flow.hpp"

#include <map>
#include <utility>

namespace factosim::audit {

namespace {

/// Follows the accesses of one handle after the other.
class HandleWalk {
 public:
  HandleWalk(TaskGraph const& graph, std::vector<NodeId> const& home, DataFlow& out)
      : graph_(graph), home_(home), out_(out) {}

  void begin(HandleId handle) {
    handle_ = handle;
    version_ = DataFlow::initial;
    readers_.clear();
    here_.clear();
    users_.clear();
    received_.clear();
  }

  DataFlow::Use use(std::uint32_t task, Access mode) {
    NodeId const node = home_[task];
    DataFlow::Use out{.task = task, .writes = writes(mode)};
    if (reads(mode)) {
      out.reads = version_;
      if (version_ != DataFlow::initial) {
        out_.edges.push_back({version_, task});
        if (home_[version_] != node) receive(task, node);
      }
      here_[node] = version_;
    }
    std::vector<std::uint32_t>& users = users_[node];
    users.push_back(task);
    if (!writes(mode)) {
      readers_.push_back(task);
      return out;
    }
    for (std::uint32_t const user : reads(mode) ? readers_ : users)
      if (home_[user] == node && user != task) out_.edges.push_back({user, task});
    users = {task};
    if (auto const had = here_.find(node); had != here_.end()) out.overwrites = had->second;
    readers_.clear();
    received_.clear();
    version_ = here_[node] = task;
    return out;
  }

 private:
  struct Received {
    std::uint32_t epoch;
    bool flushed;  // its last reader so far flushes the data it read
  };

  void receive(std::uint32_t task, NodeId node) {
    std::uint32_t const epoch = graph_.cache_epoch(TaskId{task});
    auto const known = received_.find(node);
    if (known == received_.end() || known->second.epoch != epoch || known->second.flushed)
      out_.messages.push_back({handle_, version_, node, task});
    received_[node] = {epoch, graph_.flushes(TaskId{task}, handle_)};
  }

  TaskGraph const& graph_;
  std::vector<NodeId> const& home_;
  DataFlow& out_;
  HandleId handle_;
  std::uint32_t version_ = DataFlow::initial;
  std::vector<std::uint32_t> readers_;                  // of that version
  std::map<NodeId, std::vector<std::uint32_t>> users_;  // of any version, since the node last wrote one
  std::map<NodeId, std::uint32_t> here_;                // the version that each node used last
  std::map<NodeId, Received> received_;                 // of that version
};

}  // namespace

DataFlow data_flow(TaskGraph const& graph, std::vector<NodeId> const& home) {
  DataFlow out;
  auto const accesses =
      collect_rows<std::pair<std::uint32_t, Access>>(graph.handles.size(), [&](auto const& use) {
        for (std::uint32_t t = 0; t < graph.task_count(); ++t)
          for (DataAccess const a : graph.accesses_of(TaskId{t}))
            use(a.handle().index(), std::pair(t, a.mode()));
      });
  out.first_use = accesses.begin;
  HandleWalk walk(graph, home, out);
  out.uses.reserve(accesses.items.size());
  for (std::uint32_t h = 0; h < graph.handles.size(); ++h) {
    walk.begin(HandleId{h});
    for (auto const& [task, mode] : accesses.of(h)) out.uses.push_back(walk.use(task, mode));
  }
  return out;
}

}  // namespace factosim::audit
