#include <algorithm>
#include <span>

#include "simulator/report/diagnosis/diagnosis.hpp"

namespace factosim {

namespace {

class ChainWalk {
 public:
  explicit ChainWalk(DiagnosedRun const& run)
      : run_(run), dates_(run.outcome.dates), copies_(run.outcome.transfers > run.outcome.tiles_sent) {
    out_.by_kernel.resize(run.graph.kernels.size(), 0);
  }

  /// O(tasks).
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
    out_.by_kernel[run_.graph.kernel[task]] += seconds;
    out_.longest_task = std::max(out_.longest_task, seconds);
    ++out_.tasks;
  }

  [[nodiscard]] double end_of(std::uint32_t task) const {
    return task == TaskDates::none ? 0 : dates_[task].end_s;
  }

  /// Adds the waits before a task. Returns the task with which the chain continues.
  std::uint32_t before(std::uint32_t task) {
    TaskDates const& d = dates_[task];
    NodeId const node = run_.plan.node_of(TaskId{task});
    Machine::Type const& type = run_.machine.type(node);
    double const worker_free = end_of(d.previous);
    bool const waits_for_copies = copies_ && type.rams + type.gpu_memories > 1;
    spend_until(std::max(d.ready_s(), worker_free), waits_for_copies ? out_.copies : out_.runtime);
    if (worker_free >= d.ready_s()) return d.previous;
    std::uint32_t const released_by = d.released_by;
    double const released = std::min(end_of(released_by), now_);
    bool const by_worker = d.previous != TaskDates::none && worker_free >= released;
    double const since = by_worker ? worker_free : released;
    if (d.by_submission != 0) {
      spend_until(since, out_.submission);
    } else if (released_by != TaskDates::none && !run_.plan.runs_on(TaskId{released_by}, node)) {
      double const in_ram =
          dates_[released_by].end_s + static_cast<double>(dates_[released_by].output_delay_s);
      // A message is posted when its reader is submitted.
      double const submitted =
          run_.submission_cost.value * (1.0 + run_.graph.submission_number(TaskId{task}));
      spend_until(std::max({in_ram, since, submitted}), out_.messages);
      spend_until(std::max(in_ram, since), out_.submission);
      spend_until(since, out_.copies);
    } else {
      spend_until(since, out_.runtime);
    }
    return by_worker ? d.previous : released_by;
  }

  DiagnosedRun const& run_;
  std::span<TaskDates const> dates_;
  bool copies_;     // the run has copied data within nodes
  double now_ = 0;  // what comes later is accounted for
  ChainTimes out_;
};

}  // namespace

ChainTimes chain_times(DiagnosedRun const& run) { return ChainWalk(run).times(); }

}  // namespace factosim
