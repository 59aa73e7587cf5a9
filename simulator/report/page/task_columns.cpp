#include "simulator/report/page/task_columns.hpp"

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "simulator/report/analysis/causes.hpp"

namespace factosim {

namespace {

class ColumnBuilder {
 public:
  ColumnBuilder(Trace const& trace, RunView const& view)
      : trace_(trace), view_(view), causes_(trace), place_(trace.task_count(), TaskColumns::none) {}

  TaskColumns columns() {
    double const maximum = 4.2e9;
    out_.tick_s = std::max(1e-9, view_.makespan_s() / maximum);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (causes_.ran(TaskId{t})) place_[t] = static_cast<std::uint32_t>(tasks_.size()), tasks_.push_back(t);
    if (tasks_.size() != trace_.task_count()) out_.number = tasks_;
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      add_execution(tasks_[i]);
      add_cause(i);
      add_predecessors(i);
    }
    for (TaskId const t : view_.run.chain.tasks) out_.chain.push_back(place_[t.index()]);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t ticks(double seconds) const {
    return static_cast<std::uint32_t>(std::clamp(std::round(seconds / out_.tick_s), 0.0, 4294967295.0));
  }

  static std::uint16_t index(std::int32_t i) {
    return i < 0 || i >= 65535 ? std::uint16_t{65535} : static_cast<std::uint16_t>(i);
  }

  void add_execution(std::uint32_t t) {
    std::uint32_t const start = ticks(trace_.start_s[t] - view_.run.summary.origin_s);
    out_.kernel.push_back(view_.kernel_number[trace_.kernel[t]]);
    out_.worker.push_back(static_cast<std::uint16_t>(trace_.worker[t].value()));
    out_.start.push_back(start);
    out_.duration.push_back(ticks(trace_.end_s[t] - trace_.start_s[t]));
    if (trace_.indices.empty()) return;
    out_.k.push_back(index(trace_.indices[t].k));
    out_.m.push_back(index(trace_.indices[t].m));
    out_.n.push_back(index(trace_.indices[t].n));
  }

  void add_cause(std::uint32_t place) {
    std::uint32_t const t = tasks_[place];
    auto const& causes = causes_.of_with_worker(TaskId{t});
    if (causes.empty()) {
      out_.waited_for.push_back(255);
      out_.waited_task.push_back(TaskColumns::none);
      out_.ready.push_back(0);
      return;
    }
    Cause const& last = causes.front();
    out_.waited_for.push_back(static_cast<std::uint8_t>(last.kind));
    out_.ready.push_back(ticks(trace_.start_s[t] - last.date));
    TaskId task;
    if (last.kind == Cause::Kind::predecessor || last.kind == Cause::Kind::worker) task = TaskId{last.index};
    if (last.kind == Cause::Kind::message) task = trace_.messages[last.index].producer;
    bool const known = task.valid() && place_[task.index()] != TaskColumns::none;
    out_.waited_task.push_back(known ? distance(place, place_[task.index()]) : TaskColumns::none);
  }
  /// Modulo 2^32: a task may have waited for a later one.
  static std::uint32_t distance(std::uint32_t place, std::uint32_t other) {
    return place - other + (1U << 31U);
  }

  void add_predecessors(std::uint32_t place) {
    if (trace_.predecessor_begin.empty()) return;
    std::uint32_t const t = tasks_[place];
    std::uint8_t count = 0;
    for (TaskId const predecessor : trace_.predecessors_of(TaskId{t})) {
      std::uint32_t const before = place_[predecessor.index()];
      if (before == TaskColumns::none || count == 255) continue;
      out_.predecessor.push_back(place - before);
      ++count;
    }
    out_.predecessors.push_back(count);
  }

  Trace const& trace_;
  RunView const& view_;
  Causes causes_;
  std::vector<std::uint32_t> place_;  // [tasks of the trace] in the columns; none: it did not run
  std::vector<std::uint32_t> tasks_;  // [tasks] of the trace
  TaskColumns out_;
};

}  // namespace

TaskColumns task_columns(Trace const& trace, RunView const& view) {
  return ColumnBuilder(trace, view).columns();
}

}  // namespace factosim
