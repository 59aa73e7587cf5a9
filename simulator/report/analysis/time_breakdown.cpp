#include "simulator/report/analysis/time_breakdown.hpp"

#include <algorithm>

namespace factosim {

namespace {

class BreakdownBuilder {
 public:
  BreakdownBuilder(Causes const& causes, bool by_type)
      : trace_(causes.trace()), causes_(causes), resource_(resources_of(trace_, by_type)) {}

  CriticalChain chain(double origin) {
    CriticalChain out;
    TaskId task = last_task();
    double now = task.valid() ? trace_.end_s[task.index()] : origin;
    while (task.valid() && now > origin) {
      out.tasks.push_back(task);
      double const start = std::clamp(trace_.start_s[task.index()], origin, now);
      add_kernel(out.breakdown, task, now - start);
      now = start;
      task = before(task, origin, now, out.breakdown);
    }
    return out;
  }

  TimeBreakdown workers(double origin, double makespan, std::vector<IdleTime>* idle) {
    TimeBreakdown out;
    origin_ = origin;
    min_idle_ = min_idle_share * makespan;
    idle_ = idle;
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) {
      worker_ = w;
      double now = origin;
      for (TaskId const t : causes_.tasks_of(WorkerId{w})) {
        double const start = std::max(now, trace_.start_s[t.index()]);
        if (start > now) add_idle(out, t, now, start);
        double const end = std::max(start, trace_.end_s[t.index()]);
        add_kernel(out, t, end - start);
        now = end;
      }
      add(out, Wait::finished, now, origin + makespan);
    }
    auto const workers = static_cast<double>(std::max<std::size_t>(trace_.workers.size(), 1));
    for (auto& [key, kernel] : out.kernels) kernel.seconds /= workers;
    for (double& seconds : out.wait_s) seconds /= workers;
    // The intervals before one task come in reverse order.
    if (idle != nullptr)
      std::ranges::sort(*idle, {}, [](IdleTime const& i) { return std::pair{i.worker, i.from_s}; });
    return out;
  }

 private:
  [[nodiscard]] TaskId last_task() const {
    TaskId last;
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (trace_.ran(TaskId{t}) && (!last.valid() || trace_.end_s[t] > trace_.end_s[last.index()]))
        last = TaskId{t};
    return last;
  }

  void add_kernel(TimeBreakdown& breakdown, TaskId t, double seconds) const {
    TimeBreakdown::Kernel& kernel = breakdown.kernels[{timing_name(trace_.kernels[trace_.kernel[t.index()]]),
                                                       resource_[trace_.worker[t.index()].index()]}];
    ++kernel.tasks;
    kernel.seconds += seconds;
  }

  void add(TimeBreakdown& breakdown, Wait wait, double from, double to) const {
    if (to <= from) return;
    breakdown.wait_s[static_cast<std::size_t>(wait)] += to - from;
    ++breakdown.wait_count[static_cast<std::size_t>(wait)];
    if (idle_ != nullptr && to - from >= min_idle_)
      idle_->push_back({worker_, static_cast<std::uint32_t>(wait), from - origin_, to - origin_});
  }

  /// Adds the time from `from` to `to` to the kind of wait of a cause that came at `to`.
  void add_cause(TimeBreakdown& breakdown, Cause const& cause, double from, double to) const {
    if (cause.kind == Cause::Kind::submission) return add(breakdown, Wait::submission, from, to);
    if (cause.kind == Cause::Kind::copy) return add(breakdown, Wait::copy, from, to);
    double const left = std::clamp(trace_.messages[cause.index].start_s, from, to);
    add(breakdown, Wait::message, left, to);
    add(breakdown, Wait::send, from, left);
  }

  /// Adds the time between the causes of a task and its start `now`. Returns the task with which the chain
  /// continues, and its end in `now`; an invalid id at the origin.
  TaskId before(TaskId task, double origin, double& now, TimeBreakdown& breakdown) {
    std::vector<Cause> const causes = causes_.of_with_worker(task);
    // If only the worker is known, the task may have waited for anything.
    bool const told = std::any_of(causes.begin(), causes.end(),
                                  [](Cause const& c) { return c.kind != Cause::Kind::worker; });
    Cause const* reason = nullptr;
    auto const spend_until = [&](double date) {
      date = std::max(date, origin);
      if (reason != nullptr)
        add_cause(breakdown, *reason, date, now);
      else
        add(breakdown, told ? Wait::scheduling : Wait::unexplained, date, now);
      now = date;
    };
    for (Cause const& cause : causes) {
      spend_until(cause.date);
      if (now <= origin) return {};
      if (cause.kind == Cause::Kind::predecessor || cause.kind == Cause::Kind::worker)
        return TaskId{cause.index};
      reason = &cause;
    }
    if (reason != nullptr)
      spend_until(origin);
    else
      add(breakdown, Wait::unexplained, origin, now);
    now = origin;
    return {};
  }

  /// Adds the idle time of a worker before a task.
  void add_idle(TimeBreakdown& breakdown, TaskId task, double from, double to) {
    double now = to;
    Cause const* reason = nullptr;
    auto const spend_until = [&](double date) {
      date = std::clamp(date, from, now);
      if (reason == nullptr)
        add(breakdown, Wait::scheduling, date, now);
      else if (reason->kind == Cause::Kind::predecessor)
        add(breakdown, Wait::dependency, date, now);
      else
        add_cause(breakdown, *reason, date, now);
      now = date;
    };
    std::vector<Cause> const causes = causes_.of(task);
    for (Cause const& cause : causes) {
      if (now <= from) break;
      // A predecessor is the last reason: this task did not wait for the causes of the predecessor.
      if (reason != nullptr && reason->kind == Cause::Kind::predecessor) break;
      spend_until(cause.date);
      reason = &cause;
    }
    if (causes.empty())
      add(breakdown, Wait::unexplained, from, now);
    else
      spend_until(from);
  }

  Trace const& trace_;
  Causes const& causes_;
  std::vector<std::string> resource_;  // [workers]
  std::uint32_t worker_ = 0;           // whose time is counted
  double origin_ = 0, min_idle_ = 0;   // of `idle_`
  std::vector<IdleTime>* idle_ = nullptr;
};

}  // namespace

char const* name_of(Wait wait) {
  constexpr std::array<char const*, waits> names{"message",    "send",       "copy",     "submission",
                                                 "dependency", "scheduling", "finished", "unexplained"};
  return names[static_cast<std::size_t>(wait)];
}

double TimeBreakdown::total() const {
  double sum = 0;
  for (auto const& [key, kernel] : kernels) sum += kernel.seconds;
  for (double const seconds : wait_s) sum += seconds;
  return sum;
}

CriticalChain critical_chain(Causes const& causes, double origin_s, bool by_type) {
  return BreakdownBuilder(causes, by_type).chain(origin_s);
}

TimeBreakdown worker_breakdown(Causes const& causes, double origin_s, double makespan_s, bool by_type,
                               std::vector<IdleTime>* idle) {
  return BreakdownBuilder(causes, by_type).workers(origin_s, makespan_s, idle);
}

}  // namespace factosim
