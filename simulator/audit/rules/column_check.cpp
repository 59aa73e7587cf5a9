#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// The columns of a trace that say what the application submitted, against the application and the map.
class ColumnCheck {
 public:
  ColumnCheck(RunView const& view, Check& check)
      : view_(view), graph_(view.run.graph), trace_(*view.run.trace), check_(check) {}

  void handles(DataFlow const& flow) {
    if (trace_.handles.size() != graph_.handles.size())
      return check_.add({"another number of data", fmt::format("{}", trace_.handles.size()),
                         fmt::format("{}", graph_.handles.size())});
    for (std::size_t h = 0; h < graph_.handles.size(); ++h) {
      HandleInfo const& own = graph_.handles[h];
      Trace::Handle const& recorded = trace_.handles[h];
      std::string const where = view_.name_of_handle(HandleId{h});
      ++check_.cases;
      same(recorded.m, own.m, "row", where);
      same(recorded.n, own.n, "column", where);
      same(recorded.size.value, own.size.value, "size", where);
      same(recorded.tag, static_cast<std::int32_t>(h), "tag", where);
      same(recorded.address, h + 1, "address", where);
      same(number(recorded.owner), number(home_of(flow, h)), "owner", where);
    }
  }

  void tasks() {
    std::size_t const count = graph_.task_count();
    if (trace_.priority.size() != count || trace_.indices.size() != count || trace_.flops.size() != count ||
        trace_.writes_back.size() != count || trace_.job.size() != count || trace_.footprint.size() != count)
      return check_.add({"columns of another length", "tasks", fmt::format("{} tasks", count)});
    std::vector<std::int32_t> const& priority =
        view_.run.priority.empty() ? graph_.priority : view_.run.priority;
    std::uint32_t jobs = 0;
    std::size_t hints = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
      ++check_.cases;
      TaskIndices const recorded = trace_.indices[t], own = graph_.indices[t];
      task(t, recorded.k, own.k, "k");
      task(t, recorded.m, own.m, "m");
      task(t, recorded.n, own.n, "n");
      task(t, trace_.priority[t], priority[t], "priority");
      task(t, trace_.flops[t], graph_.kernel_of(TaskId{t}).flops.value, "number of operations");
      task(t, trace_.job[t], ++jobs, "job");
      task(t, trace_.submit_order[t], jobs, "number of submission");
      bool const writes_back = graph_.writes_back[t];
      task(t, static_cast<int>(trace_.writes_back[t]), static_cast<int>(writes_back), "hint to write back");
      if (writes_back) hint(t, hints++, ++jobs);
    }
    same(trace_.wont_use.size(), hints, "number of hints", "trace");
    footprints();
  }

  /// The predecessors in the trace are required, and each required one is recorded, or implied by a reader of
  /// the data that are overwritten: it follows the required task itself.
  void predecessors(DataFlow const& flow) {
    std::size_t const count = graph_.task_count();
    std::vector<std::vector<std::uint32_t>> required(count);
    for (DataFlow::Edge const& edge : flow.edges) required[edge.after].push_back(edge.before);
    if (trace_.predecessor_begin.size() != count + 1)
      return check_.add({"tells no predecessors", "trace", "those of each task"});
    for (std::uint32_t t = 0; t < count; ++t) {
      ++check_.cases;
      auto& wanted = required[t];
      std::sort(wanted.begin(), wanted.end());
      auto const recorded = trace_.predecessors_of(TaskId{t});
      for (std::size_t i = 0; i < recorded.size(); ++i)
        if ((!std::binary_search(wanted.begin(), wanted.end(), recorded[i].value()) &&
             !overwrites_copy(flow, t, recorded[i].value())) ||
            (i > 0 && !(recorded[i - 1] < recorded[i])))
          check_.add({fmt::format("is said to follow task {}", recorded[i].value()), view_.name_of_task(t),
                      "the tasks that its data require, ascending", TaskId{t}});
      for (std::uint32_t const before : wanted)
        if (!follows(t, before) && std::ranges::none_of(recorded, [&](TaskId reader) {
              return reader.value() < t && follows(reader.value(), before);
            }))
          check_.add({"lacks a predecessor", view_.name_of_task(t), view_.name_of_task(before), TaskId{t}});
    }
  }

 private:
  /// The node that has the datum before any task, or else the one where its last version is written; none has temporary
  /// data in the end.
  [[nodiscard]] NodeId home_of(DataFlow const& flow, std::size_t h) const {
    if (graph_.handles[h].temporary) return {};
    NodeId out = view_.run.owners.front()[h];
    for (std::uint32_t u = flow.first_use[h]; u < flow.first_use[h + 1]; ++u) {
      if (u == flow.first_use[h] && flow.uses[u].reads != DataFlow::none) return out;
      if (flow.uses[u].writes) out = view_.home[flow.uses[u].task];
    }
    return out;
  }
  static std::int64_t number(NodeId node) { return node.valid() ? std::int64_t{node.value()} : -1; }

  template <class Value>
  void same(Value recorded, Value own, char const* what, std::string const& where, TaskId task = {}) {
    if (recorded != own)
      check_.add({fmt::format("has the {} {}", what, recorded), where, fmt::format("{}", own), task});
  }
  template <class Value>
  void task(std::uint32_t t, Value recorded, Value own, char const* what) {
    if (recorded != own) same(recorded, own, what, view_.name_of_task(t), TaskId{t});
  }

  void hint(std::uint32_t t, std::size_t place, std::uint32_t job) {
    if (place >= trace_.wont_use.size()) return;
    Trace::WontUse const& recorded = trace_.wont_use[place];
    bool const ok = recorded.job == job && recorded.submit_order == job &&
                    recorded.handle == graph_.written_by(TaskId{t}) &&
                    (!view_.ran(t) || recorded.node == view_.node(t)) &&
                    recorded.submit_s == trace_.submit_s[t];
    if (!ok)
      check_.add({"is followed by another hint", view_.name_of_task(t),
                  fmt::format("job {} for {}", job, view_.name_of_handle(graph_.written_by(TaskId{t}))),
                  TaskId{t}});
  }

  /// Tasks on as many square tiles have one footprint; tasks on other data have none.
  void footprints() {
    if (!view_.run.problem) return;
    std::int64_t const elements = std::int64_t{view_.run.problem->nb} * view_.run.problem->nb;
    std::vector<std::uint32_t> by_count;
    for (std::uint32_t t = 0; t < graph_.task_count(); ++t) {
      auto const accesses = graph_.accesses_of(TaskId{t});
      bool const square = std::ranges::all_of(accesses, [&](DataAccess a) {
        HandleInfo const& handle = graph_.handles[a.handle().index()];
        return handle.data == DataKind::tile && handle.size.value % elements == 0;
      });
      std::uint32_t none = 0;
      by_count.resize(std::max(by_count.size(), accesses.size() + 1), 0);
      std::uint32_t& known = square ? by_count[accesses.size()] : none;
      if (square && known == 0) known = trace_.footprint[t];
      task(t, trace_.footprint[t], known, "footprint");
    }
    std::set<std::uint32_t> distinct;
    for (std::uint32_t const footprint : by_count)
      if (footprint != 0 && !distinct.insert(footprint).second)
        check_.add({"has one footprint for different data", "trace", "one for each number of tiles"});
  }

  /// Returns whether the task overwrites data, without reading them, that `before` used on the same node, where no
  /// task in between has written them: then it may wait for that task, whichever node has written since.
  [[nodiscard]] bool overwrites_copy(DataFlow const& flow, std::uint32_t t, std::uint32_t before) const {
    if (view_.home[t] != view_.home[before] || before >= t) return false;
    for (DataAccess const access : graph_.accesses_of(TaskId{t})) {
      if (reads(access.mode())) continue;
      bool used = false;
      for (std::uint32_t u = flow.first_use[access.handle().index()];
           u < flow.first_use[access.handle().index() + 1] && flow.uses[u].task < t; ++u) {
        DataFlow::Use const& use = flow.uses[u];
        if (view_.home[use.task] == view_.home[t] && use.writes) used = false;
        used = used || use.task == before;
      }
      if (used) return true;
    }
    return false;
  }

  [[nodiscard]] bool follows(std::uint32_t task, std::uint32_t before) const {
    auto const recorded = trace_.predecessors_of(TaskId{task});
    return std::find(recorded.begin(), recorded.end(), TaskId{before}) != recorded.end();
  }

  RunView const& view_;
  TaskGraph const& graph_;
  Trace const& trace_;
  Check& check_;
};

}  // namespace

void check_columns(RunView const& view, DataFlow const& flow, AuditReport& report) {
  Check& check = report.check("columns");
  ColumnCheck columns(view, check);
  columns.handles(flow);
  columns.tasks();
  if (view.run.problem)
    columns.predecessors(flow);
  else
    check.skip("predecessors: those of a replay are the recorded run's");
}

}  // namespace factosim::audit
