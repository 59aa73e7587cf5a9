#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// Returns the number of tasks that the task's node has unrolled since the last barrier, with this one: [tasks].
std::vector<std::uint32_t> unrolled_tasks(RunView const& view, DataFlow const& flow) {
  using Unrolled = RuntimeModel::Unrolled;
  TaskGraph const& graph = view.run.graph;
  Unrolled const mode = view.run.runtime.unrolled;
  std::vector<NodeId> owner = view.run.owners.front();  // of the last version
  for (std::size_t h = 0; h < owner.size(); ++h)
    for (std::uint32_t u = flow.first_use[h]; u < flow.first_use[h + 1]; ++u)
      if (flow.uses[u].writes) owner[h] = view.home[flow.uses[u].task];
  std::vector<std::uint32_t> out, count(view.run.platform.nodes.size(), 0);
  std::uint32_t all = 0;
  std::size_t barrier = 0;
  std::vector<bool> concerned(count.size(), false);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    if (barrier < graph.barriers.size() && graph.barriers[barrier] == t) {
      std::fill(count.begin(), count.end(), 0);
      all = 0;
      ++barrier;
    }
    ++all;
    std::size_t const home = view.home[t].index();
    auto const unroll = [&](std::size_t node) {
      if (!concerned[node]) ++count[node];
      concerned[node] = true;
    };
    unroll(home);
    if (mode == Unrolled::concerned)
      for (DataAccess const a : graph.accesses_of(TaskId{t}))
        if (NodeId const node = owner[a.handle().index()]; node.valid()) unroll(node.index());
    out.push_back(mode == Unrolled::all ? all : count[home]);
    concerned[home] = false;
    for (DataAccess const a : graph.accesses_of(TaskId{t}))
      if (NodeId const node = owner[a.handle().index()]; node.valid()) concerned[node.index()] = false;
  }
  return out;
}

/// Submission takes its cost per unrolled task, from the last barrier on. Without a window each date follows; with
/// one a node may wait in between, and each task takes its cost after the one before.
class SubmissionCheck {
 public:
  SubmissionCheck(RunView const& view, DataFlow const& flow, Check& check)
      : view_(view),
        check_(check),
        unrolled_(unrolled_tasks(view, flow)),
        last_(view.run.platform.nodes.size()) {}

  void check() {
    auto const& barriers = view_.run.graph.barriers;
    std::size_t next = 0;
    double ended = 0;                                         // all tasks so far
    double first = 0;                                         // earliest start of the part of the flow
    double start = std::numeric_limits<double>::quiet_NaN();  // of the part, derived from its first task
    for (std::uint32_t t = 0; t < unrolled_.size(); ++t) {
      if (next < barriers.size() && barriers[next] == t) {
        ++next;
        first = ended;
        start = std::numeric_limits<double>::quiet_NaN();
        std::fill(last_.begin(), last_.end(), Last{});
      }
      if (view_.ran(t)) ended = std::max(ended, view_.end_s(t));
      check_.cases += 1;
      double const date = view_.run.trace->submit_s[t];
      if (std::isnan(start)) start = next == 0 ? 0 : date - cost() * unrolled_[t];
      if (view_.run.runtime.has_window)
        check_after_last(t, first, date);
      else
        check_date(t, first, start, date);
    }
  }

 private:
  struct Last {  // submission on a node
    double date = -1;
    std::uint32_t unrolled = 0;
  };
  [[nodiscard]] double cost() const { return view_.run.runtime.submission_cost_s; }

  void check_date(std::uint32_t t, double first, double start, double date) {
    double const expected = start + cost() * unrolled_[t];
    if (std::abs(date - expected) > view_.tie_s + view_.tick_s * unrolled_[t] || start < first - view_.tie_s)
      add(t, date,
          fmt::format("{:.9g} s: {} submissions after {:.9g} s", expected, unrolled_[t],
                      std::max(start, first)));
  }

  void check_after_last(std::uint32_t t, double first, double date) {
    Last& last = last_[view_.home[t].index()];
    double const earliest = std::max(last.date, first) + cost() * (unrolled_[t] - last.unrolled);
    double const slack = view_.tie_s + view_.tick_s * (unrolled_[t] - last.unrolled);
    if (date < earliest - slack) add(t, date, fmt::format("not before {:.9g} s", earliest));
    last = {date, unrolled_[t]};
  }

  void add(std::uint32_t t, double date, std::string expected) {
    check_.add({fmt::format("is submitted at {:.9g} s", date), view_.name_of_task(t), std::move(expected),
                TaskId{t}, date});
  }

  RunView const& view_;
  Check& check_;
  std::vector<std::uint32_t> unrolled_;  // [tasks]
  std::vector<Last> last_;               // [nodes]
};

/// A task starts after it is submitted and its last predecessor on its node has ended; then it is pushed by the
/// worker of that predecessor, popped, and its worker spends the cost of each operand, and a GPU's driver that of
/// the kernel. A task that also waits for messages may be pushed by another thread.
void check_starts(RunView const& view, DataFlow const& flow, Check& check) {
  TaskGraph const& graph = view.run.graph;
  RuntimeModel const& runtime = view.run.runtime;
  std::vector<double> last_end(graph.task_count(), 0);
  std::vector<bool> waits_for_message(graph.task_count(), false);
  for (DataFlow::Edge const& edge : flow.edges) {
    if (view.home[edge.before] != view.home[edge.after])
      waits_for_message[edge.after] = true;
    else if (view.ran(edge.before))
      last_end[edge.after] = std::max(last_end[edge.after], view.end_s(edge.before));
  }
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    if (!view.ran(t)) continue;
    ++check.cases;
    double const submitted = view.run.trace->submit_s[t];
    bool const pushed = last_end[t] > submitted && last_end[t] > 0 && !waits_for_message[t];
    bool const queued = view.worker(t).device == Trace::Device::gpu && runtime.gpu_pipeline > 0 &&
                        graph.kernel_of(TaskId{t}).asynchronous_on_gpu;
    auto const operands = static_cast<double>(graph.accesses_of(TaskId{t}).size());
    double const earliest = std::max(last_end[t], std::isnan(submitted) ? 0.0 : submitted) +
                            (pushed ? runtime.push_cost_s : 0) + runtime.fetch_cost_s * operands +
                            (queued ? runtime.gpu_queue_cost_s : 0);
    if (view.start_s(t) < earliest - view.tie_s - view.tick_s * operands)
      check.add({"starts before the runtime system can launch it", view.name_of_task(t),
                 fmt::format("not before {:.9g} s", earliest), TaskId{t}, view.start_s(t)});
  }
}

}  // namespace

void check_overheads(RunView const& view, DataFlow const& flow, AuditReport& report) {
  if (view.run.runtime.rounded_means)
    report.check("submission").skip("in a replay the dates of submission are the recorded run's");
  else
    SubmissionCheck(view, flow, report.check("submission")).check();
  check_starts(view, flow, report.check("overheads"));
}

}  // namespace factosim::audit
