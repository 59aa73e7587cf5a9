#include "simulator/studies/search/schedule_judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/traces/trace/run_trace.hpp"

namespace factosim {

namespace {

/// Returns who ran what, ordered by the starts of the kernels.
TaskSchedule schedule_of(TaskPlan const& plan, TraceRecords const& run) {
  std::size_t const tasks = plan.stored().graph.task_count();
  TaskSchedule out{.worker = std::vector<std::uint32_t>(tasks),
                   .position = std::vector<std::uint32_t>(tasks),
                   .priority = plan.stored().graph.priority};
  std::vector<TaskRecord> order = run.tasks;
  std::ranges::sort(order, {}, [&](TaskRecord const& r) {
    return std::tuple(r.start.value, r.end.value, plan.stored().graph.submission_number(r.task));
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    TaskId const task = order[i].task;
    out.worker[task.index()] =
        order[i].worker.value() - plan.machine.first_worker[plan.stored().plan.node_of(task).index()];
    out.position[task.index()] = static_cast<std::uint32_t>(i);
  }
  return out;
}

template <class Row>
void repeat(std::vector<Row>& rows) {
  std::vector<Row> const copy = rows;
  rows.insert(rows.end(), copy.begin(), copy.end());
}

/// Adds each kernel once more, behind all others: GPUs of nodes where a core can run it cannot.
void add_core_kernels(TaskPlan& plan) {
  repeat(plan.stored().graph.kernels);
  for (Machine::Type& type : plan.machine.types) {
    std::size_t const first = type.durations.size();
    for (auto* const rows : {&type.durations, &type.deviations, &type.busy_powers, &type.gpu_parts})
      repeat(*rows);
    for (auto* const rows : {&type.samples, &type.first_samples}) repeat(*rows);
    if (type.contention) repeat(type.contention->factors);
    for (std::size_t i = first; i < type.durations.size(); i += type.workers.size()) {
      auto const of_kernel = std::span(type.durations).subspan(i, type.workers.size());
      if (std::ranges::all_of(of_kernel.subspan(type.gpus), [](double d) { return std::isinf(d); })) continue;
      std::ranges::fill(of_kernel.first(type.gpus), std::numeric_limits<double>::infinity());
    }
  }
}

/// Returns the durations of the task on the workers of its node, [workers].
std::vector<double> durations(TaskPlan const& p, TaskId task) {
  NodeId const node = p.stored().plan.node_of(task);
  auto const of_kernel = p.machine.durations(node, p.stored().graph.kernel[task.index()]);
  std::vector<double> out(of_kernel.begin(), of_kernel.end());
  for (std::size_t w = 0; w < out.size(); ++w)
    out[w] *= p.stored().graph.weight(task, w < p.machine.type(node).gpus);
  return out;
}

double mean(TaskPlan const& p, TaskId task) {
  double sum = 0;
  int able = 0;
  for (double const duration : durations(p, task))
    if (!std::isinf(duration)) {
      sum += duration;
      ++able;
    }
  return sum / std::max(able, 1);
}

double fastest(TaskPlan const& p, TaskId task) {
  double const out = std::ranges::min(durations(p, task));
  return std::isinf(out) ? 0 : out;
}

/// Returns the length of the longest chain from the start of each task to the end of the graph: [tasks].
std::vector<double> times_to_end(TaskPlan const& p, double (*duration)(TaskPlan const&, TaskId)) {
  std::vector<double> out(p.stored().graph.task_count(), 0);
  std::vector<TaskId> const order = ordered_tasks(p.stored().graph);
  for (auto t = order.rbegin(); t != order.rend(); ++t) {
    double rest = 0;
    for (TaskId const next : p.stored().graph.successors_of(*t)) rest = std::max(rest, out[next.index()]);
    out[t->index()] = rest + duration(p, *t);
  }
  return out;
}

}  // namespace

ScheduleJudge::ScheduleJudge(TaskPlan const& plan, JudgeNetwork network)
    : plan_(plan), priorities_(plan.stored().graph.priority), kernels_(plan.stored().graph.kernel) {
  add_core_kernels(plan_);
  PlacedScenario& s = plan_.scenario;
  s.noise = {};
  s.schedule = nullptr;
  if (network == JudgeNetwork::repeated && s.network.model == NetworkModel::simgrid)
    s.network.model = NetworkModel::maxmin;
}

JudgedSchedule ScheduleJudge::judge(TaskSchedule schedule) {
  plan_.stored().graph.priority = priorities_;
  follow(plan_, schedule);
  SimulationOutcome outcome = simulate_with_seed(plan_, plan_.scenario.seed, nullptr, {});
  schedule.start_s.clear();
  schedule.end_s.clear();
  for (TaskDates const& dates : outcome.dates) {
    schedule.start_s.push_back(dates.start_s);
    schedule.end_s.push_back(dates.end_s);
  }
  return {std::move(schedule), outcome.makespan, std::move(outcome.dates)};
}

JudgedSchedule ScheduleJudge::run_policy(std::string const& type, std::span<std::int32_t const> priorities,
                                         std::vector<bool> const& kept_on_cores) {
  plan_.stored().graph.priority = priorities_;
  if (!priorities.empty()) plan_.stored().graph.priority.assign(priorities.begin(), priorities.end());
  if (plan_.stored().recording) {
    plan_.stored().recording->worker.clear();
    plan_.stored().recording->position.clear();
  }
  std::size_t const kernels = plan_.stored().graph.kernels.size() / 2;
  for (std::size_t t = 0; t < kept_on_cores.size(); ++t)
    if (kept_on_cores[t]) plan_.stored().graph.kernel[t] = static_cast<std::uint16_t>(kernels_[t] + kernels);
  plan_.scenario.scheduler.type = type;
  plan_.scenario.scheduler.own = {};
  TraceRecords records;
  SimulationOutcome outcome = simulate_with_seed(plan_, plan_.scenario.seed, &records, {});
  plan_.stored().graph.kernel = kernels_;
  return {schedule_of(plan_, records), outcome.makespan, std::move(outcome.dates)};
}

std::vector<double> mean_ranks(TaskPlan const& plan) { return times_to_end(plan, mean); }

std::vector<double> slacks(TaskPlan const& p) {
  std::vector<double> start(p.stored().graph.task_count(), 0), to_end = times_to_end(p, fastest);
  double longest = 0;
  for (TaskId const t : ordered_tasks(p.stored().graph)) {
    double const end = start[t.index()] + fastest(p, t);
    longest = std::max(longest, end);
    for (TaskId const next : p.stored().graph.successors_of(t))
      start[next.index()] = std::max(start[next.index()], end);
  }
  for (std::size_t t = 0; t < start.size(); ++t) start[t] = longest - start[t] - to_end[t];
  return start;
}

std::vector<std::size_t> kernels_of_both_kinds(TaskPlan const& p) {
  std::size_t const kernels = p.stored().graph.kernels.size();
  std::vector<std::size_t> out;
  if (kernels > std::numeric_limits<std::uint16_t>::max()) return out;  // no number is left
  for (std::size_t k = 0; k < kernels; ++k) {
    bool const both = std::ranges::any_of(p.machine.type_of, [&](std::uint32_t type) {
      auto const durations = p.machine.types[type].durations_of(k);
      std::size_t const gpus = p.machine.types[type].gpus;
      auto const finite = [](double d) { return !std::isinf(d); };
      return std::ranges::any_of(durations.first(gpus), finite) &&
             std::ranges::any_of(durations.subspan(gpus), finite);
    });
    if (both) out.push_back(k);
  }
  return out;
}

std::vector<std::int32_t> priorities_by(std::span<double const> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return values[t]; });
  std::vector<std::int32_t> out(values.size());
  std::int32_t level = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && values[order[i]] > values[order[i - 1]]) ++level;
    out[order[i]] = level;
  }
  return out;
}

TaskSchedule round_robin(TaskPlan const& p, bool gpus_first) {
  std::size_t const tasks = p.stored().graph.task_count();
  TaskSchedule out{.worker = std::vector<std::uint32_t>(tasks),
                   .position = std::vector<std::uint32_t>(tasks),
                   .strict = false};
  std::vector<std::size_t> next(2 * p.machine.node_count(), 0);  // [nodes][all or GPUs, cores]
  for (TaskId const task : in_submission_order(p.stored().graph)) {
    NodeId const node = p.stored().plan.node_of(task);
    Machine::Type const& type = p.machine.type(node);
    auto const durations = type.durations_of(p.stored().graph.kernel[task.index()]);
    auto const runs = [&](std::size_t w) { return !std::isinf(durations[w]); };
    std::size_t first = 0, last = durations.size(), turn = 2 * node.index();
    if (gpus_first) {
      bool on_gpu = false;
      for (std::size_t w = 0; w < type.gpus; ++w) on_gpu = on_gpu || runs(w);
      (on_gpu ? last : first) = type.gpus;
      if (!on_gpu) ++turn;
    }
    std::size_t worker = 0;
    do worker = first + next[turn]++ % (last - first);
    while (!runs(worker));
    out.worker[task.index()] = static_cast<std::uint32_t>(worker);
    out.position[task.index()] = p.stored().graph.submission_number(task);
  }
  return out;
}

}  // namespace factosim
