#include "simulator/report/diagnosis/chain_times.hpp"

#include <algorithm>

namespace factosim {

namespace {

class ChainWalk {
 public:
  ChainWalk(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
            std::span<TaskDates const> dates)
      : graph_(graph), plan_(plan), machine_(machine), dates_(dates) {
    out_.by_kernel.resize(graph.kernels.size(), 0);
  }

  ChainTimes times() {
    auto const last = std::ranges::max_element(dates_, {}, &TaskDates::end_s);
    if (last == dates_.end()) return out_;
    now_ = last->end_s;
    auto task = static_cast<std::uint32_t>(last - dates_.begin());
    while (task != TaskDates::none && out_.tasks < dates_.size()) {
      add_kernel(task);
      task = before(task);
    }
    spend_until(0, out_.submission);
    return out_;
  }

 private:
  void spend_until(double date, double& part) {
    double const until = std::min(now_, std::max(date, 0.0));
    part += now_ - until;
    now_ = until;
  }

  void add_kernel(std::uint32_t task) {
    double const before = out_.kernels;
    spend_until(dates_[task].start_s, out_.kernels);
    double const seconds = out_.kernels - before;
    out_.by_kernel[graph_.kernel[task]] += seconds;
    out_.longest_task = std::max(out_.longest_task, seconds);
    ++out_.tasks;
  }

  [[nodiscard]] double end_of(std::uint32_t task) const {
    return task == TaskDates::none ? 0 : dates_[task].end_s;
  }

  /// Adds the waits before a task. Returns the task with which the chain continues.
  std::uint32_t before(std::uint32_t task) {
    TaskDates const& d = dates_[task];
    NodeId const node = plan_.node_of(TaskId{task});
    Machine::Type const& type = machine_.type(node);
    double const worker_free = end_of(d.previous);
    spend_until(std::max(d.ready_s(), worker_free),
                type.gpus > 0 || type.rams > 1 ? out_.copies : out_.runtime);
    if (worker_free >= d.ready_s()) return d.previous;
    std::uint32_t const released_by = d.released_by;
    double const released = std::min(end_of(released_by), now_);
    bool const by_worker = d.previous != TaskDates::none && worker_free >= released;
    double const since = by_worker ? worker_free : released;
    if (d.by_submission != 0) {
      spend_until(since, out_.submission);
    } else if (released_by != TaskDates::none && !plan_.runs_on(TaskId{released_by}, node)) {
      double const in_ram =
          dates_[released_by].end_s + static_cast<double>(dates_[released_by].output_delay_s);
      spend_until(std::max(in_ram, since), out_.messages);
      spend_until(since, out_.copies);
    } else {
      spend_until(since, out_.runtime);
    }
    return by_worker ? d.previous : released_by;
  }

  TaskGraph const& graph_;
  ExecutionPlan const& plan_;
  Machine const& machine_;
  std::span<TaskDates const> dates_;
  double now_ = 0;  // what comes later is accounted for
  ChainTimes out_;
};

}  // namespace

ChainTimes chain_times(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                       std::span<TaskDates const> dates) {
  return ChainWalk(graph, plan, machine, dates).times();
}

}  // namespace factosim
