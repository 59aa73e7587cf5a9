#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// Returns whether the trace has the nodes, memories and workers of the platform.
bool check_machine(RunView const& view, Check& check) {
  Trace const& trace = *view.run.trace;
  std::size_t const nodes = view.run.platform.nodes.size();
  std::size_t next_worker = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::string const& type = view.run.platform.type_of(NodeId{n}).name;
    if (n < trace.nodes.size() && trace.nodes[n].type != type)
      check.add({.what = "is of type " + trace.nodes[n].type,
                 .where = fmt::format("node {}", n),
                 .expected = type});
    std::size_t const end = std::min(view.routes.first_memory(NodeId{n + 1}), trace.memory_nodes.size());
    for (std::size_t m = view.routes.first_memory(NodeId{n}); m < end; ++m)
      if (trace.memory_nodes[m].node != NodeId{n})
        check.add({"is of another node", fmt::format("memory {}", m), fmt::format("node {}", n)});
    auto const& expected = view.machine.workers(NodeId{n});
    for (auto const& w : expected) {
      ++check.cases;
      std::size_t const i = next_worker++;
      bool const there = i < trace.workers.size() && trace.workers[i].name == w.name &&
                         trace.workers[i].node == NodeId{n} &&
                         trace.workers[i].memory.index() == view.routes.first_memory(NodeId{n}) + w.memory &&
                         (trace.workers[i].device == Trace::Device::gpu) == w.gpu;
      if (!there)
        check.add({.what = "worker that the platform does not have in this place",
                   .where = i < trace.workers.size() ? fmt::format("worker {} {}", i, trace.workers[i].name)
                                                     : fmt::format("worker {}", i),
                   .expected = fmt::format("{} of node {}", w.name, n)});
    }
  }
  if (trace.workers.size() != next_worker || trace.nodes.size() != nodes ||
      trace.memory_nodes.size() != view.routes.memory_count())
    check.add({.what = "another number of nodes, memories or workers",
               .where = fmt::format("{}, {}, {}", trace.nodes.size(), trace.memory_nodes.size(),
                                    trace.workers.size()),
               .expected = fmt::format("{}, {}, {}", nodes, view.routes.memory_count(), next_worker)});
  auto const no_datum = [](auto const& transfer) { return !transfer.handle.valid(); };
  if (auto const lost =
          std::ranges::count_if(trace.messages, no_datum) + std::ranges::count_if(trace.copies, no_datum);
      lost > 0 && !trace.accesses.empty())
    check.add({"transfers of no datum", fmt::format("{} messages and copies", lost), "a datum of each"});
  return check.broken == 0;
}

bool same_accesses(std::span<DataAccess const> a, std::span<DataAccess const> b) {
  auto const parts = [](DataAccess x) { return std::pair(x.handle(), x.mode()); };
  return std::ranges::equal(a, b, {}, parts, parts);
}

void compare_with_application(RunView const& view, std::size_t task, Check& check) {
  Trace const& trace = *view.run.trace;
  Kernel const& kernel = view.run.graph.kernel_of(TaskId{task});
  std::string const& name = trace.kernels[trace.kernel[task]].name;
  if (name != kernel.name)
    check.add({"another kernel than the application's", fmt::format("task {} {}", task, name), kernel.name,
               TaskId{task}});
  if (trace.access_begin.empty()) return;
  if (!same_accesses(trace.accesses_of(TaskId{task}), view.run.graph.accesses_of(TaskId{task})))
    check.add({"accesses other data than in the application", view.name_of_task(task), "its own data",
               TaskId{task}});
}

void check_overlaps(RunView const& view, AuditReport& report) {
  Check& check = report.check("overlap");
  Trace const& trace = *view.run.trace;
  struct Run {
    std::uint32_t task;
    WorkerId worker;
    double start, end;
  };
  std::vector<Run> runs;
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    if (view.ran(t)) runs.push_back({t, trace.worker[t], trace.start_s[t], trace.end_s[t]});
  std::ranges::sort(runs, {}, [](Run const& r) { return std::tuple(r.worker, r.start, r.end, r.task); });
  for (std::size_t i = 1, last = 0; i < runs.size(); ++i) {
    if (runs[last].worker != runs[i].worker) last = i;
    if (last == i) continue;
    ++check.cases;
    if (runs[i].start < runs[last].end - view.tie_s)
      check.add({fmt::format("runs while {} does", view.name_of_task(runs[last].task)),
                 view.name_of_task(runs[i].task), fmt::format("not before {:.9g} s", runs[last].end),
                 TaskId{runs[i].task}, runs[i].start});
    if (runs[i].end > runs[last].end) last = i;
  }
}

void check_places_of_tasks(RunView const& view, AuditReport& report) {
  Check& owner = report.check("owner");
  Check& worker = report.check("worker");
  if (view.run.runtime.rounded_means) worker.skip("a replay: what ran where is the recorded run's");
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.ran(t)) continue;
    ++owner.cases;
    if (view.node(t) != view.home[t])
      owner.add(
          {"runs on another node", view.name_of_task(t),
           view.home[t].valid() ? fmt::format("node {}", view.home[t].value()) : "no node owns its tile",
           TaskId{t}, view.start_s(t)});
    if (!worker.skipped.empty()) continue;
    ++worker.cases;
    if (std::isinf(view.on_worker(t).mean_s))
      worker.add({"runs where it has no timing", view.name_of_task(t), "a worker with a timing of its kernel",
                  TaskId{t}, view.start_s(t)});
  }
}

void check_order(RunView const& view, AuditReport& report) {
  Check& submitted = report.check("submission");
  Check& barrier = report.check("barriers");
  auto const& barriers = view.run.graph.barriers;
  std::size_t next = 0;
  double barrier_date = 0, last_end = 0;  // end of the last task before the barrier; so far
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.ran(t)) continue;
    for (; next < barriers.size() && barriers[next] <= t; ++next) barrier_date = last_end;
    last_end = std::max(last_end, view.end_s(t));
    double const date = view.run.trace->submit_s[t];
    ++submitted.cases;
    if (!(view.start_s(t) >= date - view.tie_s) || date < 0)
      submitted.add({"starts before it was submitted", view.name_of_task(t),
                     fmt::format("not before {:.9g} s", date), TaskId{t}, view.start_s(t)});
    if (next == 0) continue;
    ++barrier.cases;
    if (view.start_s(t) < barrier_date - view.tie_s)
      barrier.add({"starts before the barrier", view.name_of_task(t),
                   fmt::format("not before {:.9g} s", barrier_date), TaskId{t}, view.start_s(t)});
  }
}

}  // namespace

void check_tasks(RunView& view, AuditReport& report) {
  Check& machine = report.check("machine");
  Check& check = report.check("tasks");
  if (view.run.trace == nullptr) {
    for (Check* const c : {&machine, &check}) c->skip("the run kept no run.trace");
    return;
  }
  Trace const& trace = *view.run.trace;
  bool const fits = check_machine(view, machine);
  std::size_t const tasks = view.run.graph.task_count();
  check.cases = tasks;
  if (trace.task_count() != tasks) {
    check.add({"another number of tasks", fmt::format("{} tasks", trace.task_count()),
               fmt::format("{} tasks", tasks)});
    return;
  }
  view.aligned = fits;
  for (std::size_t t = 0; t < tasks; ++t) {
    compare_with_application(view, t, check);
    if (!view.ran_[t])
      check.add({"never ran", view.name_of_task(t), "one execution", TaskId{t}});
    else if (trace.start_s[t] < 0 || trace.end_s[t] < trace.start_s[t])
      check.add({"starts before the run, or ends before it starts", view.name_of_task(t), "0 <= start <= end",
                 TaskId{t}, trace.start_s[t]});
  }
  if (!trace.has_places)
    check.skip("an older version wrote this trace: it does not tell of tasks that ran twice");
  for (Trace::Execution const& e : trace.repeats)
    check.add({"ran again", view.name_of_task(e.task.index()), "one execution", e.task, e.start_s});
}

void check_executions(RunView const& view, AuditReport& report) {
  check_places_of_tasks(view, report);
  check_overlaps(view, report);
  check_order(view, report);
  check_durations(view, report);
}

}  // namespace factosim::audit
