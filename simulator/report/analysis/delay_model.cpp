#include "simulator/report/analysis/delay_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

CommonDurations::CommonDurations(std::array<Trace const*, 2> traces, bool by_type)
    : same_nodes_(traces[0]->nodes.size() == traces[1]->nodes.size()),
      same_kernels_(
          std::ranges::equal(traces[0]->kernels, traces[1]->kernels, {}, timing_name, timing_name)) {
  for (std::size_t run = 0; run < 2; ++run) classify(*traces[run], run, by_type);
  for (auto const& [kernel, tasks] : tasks_) tasks_differ_ = tasks_differ_ || tasks[0] != tasks[1];
  compare();
  for (std::size_t run = 0; run < 2; ++run) set_durations(*traces[run], run);
}

double CommonDurations::Sample::deviation() const {
  return count == 0 ? 0 : std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean() * mean()));
}

/// A trace without shapes, that of a replay, has one kernel for each.
CommonDurations::Place CommonDurations::place_of(Trace const& trace, TaskId t, std::uint32_t of_class) const {
  std::uint64_t const kernel = same_kernels_ ? trace.kernel[t.index()] : 0;
  return {of_class, same_nodes_ ? trace.node_of(t).value() : 0,
          kernel << 32U | (trace.footprint.empty() ? 0 : trace.footprint[t.index()])};
}

void CommonDurations::classify(Trace const& trace, std::size_t run, bool by_type) {
  std::vector<std::string> const resource = resources_of(trace, by_type);
  class_[run].assign(trace.task_count(), 0);
  std::map<std::pair<std::uint16_t, std::string const*>, std::uint32_t> known;  // by kernel and worker
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    if (!trace.ran(TaskId{t})) continue;
    WorkerId const worker = trace.worker[t];
    auto const [place, is_new] = known.try_emplace({trace.kernel[t], &resource[worker.index()]}, 0);
    if (is_new) {
      KernelOn const key{timing_name(trace.kernels[trace.kernel[t]]), resource[worker.index()]};
      place->second = index_.try_emplace(key, static_cast<std::uint32_t>(index_.size())).first->second;
      if (place->second == classes_.size()) classes_.push_back(key), by_class_.emplace_back();
    }
    std::uint32_t const c = class_[run][t] = place->second;
    double const duration = trace.end_s[t] - trace.start_s[t];
    by_class_[c][run].add(duration);
    by_place_[place_of(trace, TaskId{t}, c)][run].add(duration);
    ++tasks_[classes_[c].kernel][run];
  }
}

void CommonDurations::compare() {
  struct Sums {
    double seconds = 0, means = 0, means_error = 0, deviations = 0, deviations_error = 0;  // errors: squares
  };
  std::vector<Sums> sums(classes_.size());
  auto const add = [](Sums& to, Pair const& pair) {
    auto const n = static_cast<double>(std::min(pair[0].count, pair[1].count));
    if (n == 0) return;
    to.seconds += n * pair[0].mean();
    to.means += n * (pair[1].mean() - pair[0].mean());
    to.deviations += n * (pair[1].deviation() - pair[0].deviation());
    for (Sample const& s : pair) {
      double const error = n * n * s.deviation() * s.deviation() / static_cast<double>(s.count);
      to.means_error += error;
      to.deviations_error += error / 2;
    }
  };
  for (auto const& [place, pair] : by_place_) add(sums[std::get<0>(place)], pair);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    Sums& s = sums[c];
    if (s.seconds == 0) add(s, by_class_[c]);  // no place in both runs
    means_differ_ = means_differ_ || std::abs(s.means) > 3 * std::sqrt(s.means_error) + 0.002 * s.seconds;
    deviations_differ_ =
        deviations_differ_ || std::abs(s.deviations) > 3 * std::sqrt(s.deviations_error) + 0.01 * s.seconds;
  }
}

double CommonDurations::common(Pair const& pair, double other_tasks, std::size_t run) const {
  Sample const &own = pair[run], &other = pair[1 - run];
  return other.count == 0 ? own.mean() : (own.mean() + other_tasks * other.mean()) / 2;
}

double CommonDurations::of_kernel(std::size_t run, KernelOn const& kernel) const {
  auto const index = index_.find(kernel);
  if (index == index_.end()) return std::numeric_limits<double>::infinity();
  auto const& tasks = tasks_.at(kernel.kernel);
  Pair const& pair = by_class_[index->second];
  double const other_tasks = tasks[run] > 0 ? tasks[1 - run] / tasks[run] : 1;
  return pair[run].count > 0 ? common(pair, other_tasks, run) : other_tasks * pair[1 - run].mean();
}

void CommonDurations::set_durations(Trace const& trace, std::size_t run) {
  durations_[run].assign(trace.task_count(), 0);
  means_[run] = durations_[run];
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    if (!trace.ran(TaskId{t})) continue;
    std::uint32_t const c = class_[run][t];
    auto const& tasks = tasks_.at(classes_[c].kernel);
    double const other_tasks = tasks[1 - run] / tasks[run];  // for one of this run
    Pair const &here = by_place_.at(place_of(trace, TaskId{t}, c)), &all = by_class_[c];
    double const mean = means_[run][t] = here[run].mean(), of_all = all[run].mean();
    durations_[run][t] = here[1 - run].count > 0 || of_all == 0
                             ? common(here, other_tasks, run)
                             : mean / of_all * common(all, other_tasks, run);
  }
}

SeparateDurations::SeparateDurations(Trace const& trace, CommonDurations const& durations, std::size_t run)
    : common(durations.of_run(run)), means(durations.means_of_run(run)) {
  std::vector<double> own;
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    own.push_back(trace.ran(TaskId{t}) ? trace.end_s[t] - trace.start_s[t] : 0);
  auto const equal = [](std::vector<double> const& x, std::vector<double> const& y) {
    return std::ranges::equal(x, y, [](double a, double b) { return std::abs(a - b) <= 1e-9 * b + 1e-12; });
  };
  same_means = equal(common, means);
  no_deviations = equal(own, means);
  if (no_deviations) means = own;
  if (same_means) common = means;
  deviating = own;
  for (std::size_t t = 0; t < own.size(); ++t)
    if (means[t] > 0) deviating[t] *= common[t] / means[t];
}

/// Converts a trace to steps and edges.
class DelayModel::Builder {
 public:
  Builder(DelayModel& model, Trace const& trace, Causes const& causes, double origin)
      : model_(model),
        trace_(trace),
        causes_(causes),
        origin_(origin),
        step_(trace.task_count(), none),
        ram_(rams_of(trace)) {}

  void build() {
    order_tasks();
    submissions();
    std::vector<std::uint32_t> last(trace_.workers.size(), none);  // steps
    for (std::uint32_t s = 0; s < model_.steps_.size(); ++s) {
      Step& step = model_.steps_[s];
      std::uint32_t& before = last[trace_.worker[step.task.index()].index()];
      base_ = 0;
      if (before != none) after(before, start(step.task), {});
      before = s;
      if (!model_.submissions_.empty() && known_submission(step.task))
        base_ = std::max(base_, submission(step.task));
      add_causes(step);
      step.edge_end = static_cast<std::uint32_t>(model_.edges_.size());
    }
  }

 private:
  [[nodiscard]] double start(TaskId t) const { return trace_.start_s[t.index()] - origin_; }
  [[nodiscard]] double end(TaskId t) const { return trace_.end_s[t.index()] - origin_; }
  [[nodiscard]] bool known_submission(TaskId t) const { return !std::isnan(trace_.submit_s[t.index()]); }
  /// A submission after the start shows that clocks differ.
  [[nodiscard]] double submission(TaskId t) const {
    return std::min(trace_.submit_s[t.index()] - origin_, start(t));
  }

  void order_tasks() {
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (trace_.ran(TaskId{t}))
        model_.steps_.push_back({.task = TaskId{t}, .duration_s = trace_.end_s[t] - trace_.start_s[t]});
    std::ranges::stable_sort(model_.steps_, {}, [&](Step const& s) { return start(s.task); });
    for (std::uint32_t s = 0; s < model_.steps_.size(); ++s) step_[model_.steps_[s].task.index()] = s;
  }

  /// Adds the submissions, in the order of their dates. A gap that ends right after the last task submitted
  /// earlier is a barrier.
  void submissions() {
    constexpr double at_barrier = 0.02;  // of the gap, at most, between the end of that task and its end
    std::vector<std::uint32_t>& order = model_.submission_order_;
    for (std::uint32_t s = 0; s < model_.steps_.size(); ++s)
      if (known_submission(model_.steps_[s].task)) order.push_back(s);
    if (order.empty()) return;
    auto const task = [&](std::uint32_t s) { return model_.steps_[s].task; };
    std::ranges::sort(order, {}, [&](std::uint32_t s) { return std::pair{submission(task(s)), task(s)}; });
    model_.submissions_.resize(model_.steps_.size());
    std::vector<std::uint32_t> before(trace_.nodes.size(), none);
    std::uint32_t last = none;  // to end, of those submitted so far
    for (std::uint32_t const s : order) {
      Submission& out = model_.submissions_[s];
      std::uint32_t& node_before = before[trace_.node_of(task(s)).index()];
      double const date = submission(task(s));
      out.before = node_before;
      double since = out.before == none ? 0 : submission(task(out.before));
      if (last != none && end(task(last)) <= date && end(task(last)) > since &&
          date - end(task(last)) <= at_barrier * (date - since)) {
        out.barrier = last;
        since = end(task(last));
      }
      out.gap_s = date - since;
      node_before = s;
      if (last == none || end(task(s)) > end(task(last))) last = s;
    }
  }

  /// The step starts after the end of another one and a lag.
  void after(std::uint32_t step, double start, Lag lag) {
    double const date = end(model_.steps_[step].task) + lag.message + lag.copy;
    lag.early = std::min(0.0, start - date);
    bool const plain = lag.early == 0 && lag.message == 0 && lag.copy == 0;
    model_.edges_.push_back({step, plain ? none : static_cast<std::uint32_t>(model_.lags_.size())});
    if (!plain) model_.lags_.push_back(lag);
    base_ = std::max(base_, date + lag.early);
  }

  void add_causes(Step& step) {
    double const begin = start(step.task);
    double message = 0, copy = 0;  // last arrivals that are counted after the last edge
    bool told = !trace_.predecessor_begin.empty() && known_submission(step.task);
    bool elsewhere = false;
    // Not a copy: the causes are asked for once.
    for (Cause const& cause : causes_.of(step.task)) {
      double const date = cause.date - origin_;
      if (cause.kind == Cause::Kind::copy) copy = std::max(copy, date);
      if (cause.kind == Cause::Kind::predecessor) {
        told = true;
        elsewhere = elsewhere || trace_.node_of(TaskId{cause.index}) != trace_.node_of(step.task);
        add_task(TaskId{cause.index}, begin, {});
      }
      if (cause.kind == Cause::Kind::message && !add_message(step.task, cause.index, date))
        message = std::max(message, date);
    }
    // A trace without messages: the time after a predecessor on another node is that of its message.
    if (elsewhere && trace_.messages.empty()) message = begin;
    step.message_s = std::clamp(message - base_, 0.0, std::max(0.0, begin - base_));
    base_ += step.message_s;
    step.copy_s = std::clamp(copy - base_, 0.0, std::max(0.0, begin - base_));
    base_ += step.copy_s;
    (told ? step.overhead_s : step.unexplained_s) = std::max(0.0, begin - base_);
  }

  void add_task(TaskId before, double begin, Lag const& lag) {
    std::uint32_t const s = step_[before.index()];
    if (s != none) after(s, begin, lag);
  }

  /// Adds an edge from the task that wrote a message. Returns false if that task is unknown.
  bool add_message(TaskId task, std::uint32_t index, double date) {
    Trace::Message const& message = trace_.messages[index];
    TaskId const producer = producer_of(message, task);
    if (!producer.valid() || end(producer) > date || start(producer) >= start(task)) return false;
    double const copied = message.handle.valid()
                              ? causes_.last_copy_s(ram_[message.from.index()], message.handle,
                                                    std::min(message.start_s, date + origin_))
                              : unknown;
    double const copy = std::isnan(copied) ? 0 : std::max(0.0, copied - origin_ - end(producer));
    add_task(producer, start(task), {.early = 0, .message = date - end(producer) - copy, .copy = copy});
    return true;
  }

  [[nodiscard]] TaskId producer_of(Trace::Message const& message, TaskId reader) const {
    if (message.producer.valid() && trace_.ran(message.producer)) return message.producer;
    TaskId out;
    for (TaskId const p : trace_.predecessors_of(reader))
      if (trace_.ran(p) && trace_.node_of(p) == message.from && trace_.end_s[p.index()] <= message.end_s &&
          (!out.valid() || end(p) > end(out)))
        out = p;
    return out;
  }

  DelayModel& model_;
  Trace const& trace_;
  Causes const& causes_;
  double origin_;
  std::vector<std::uint32_t> step_;  // [tasks]
  std::vector<MemoryNodeId> ram_;    // [nodes]
  double base_ = 0;                  // the earliest start of the step by its edges
};

DelayModel::DelayModel(Trace const& trace, Causes const& causes, double origin_s) {
  Builder(*this, trace, causes, origin_s).build();
}

double DelayModel::makespan(Delays kept, std::span<double const> durations) const {
  double const messages = kept.messages ? 1 : 0, copies = kept.copies ? 1 : 0;
  double const overhead = kept.overhead ? 1 : 0, others = kept.unexplained ? 1 : 0;
  std::vector<double> end(steps_.size()), submitted(submissions_.size(), 0);
  std::vector<bool> is_submitted(submissions_.size(), true);
  for (std::uint32_t const s : submission_order_) is_submitted[s] = false;
  // Submissions are evaluated in their order, as far as the next step needs them.
  std::size_t next_submission = 0;
  auto const submit_until = [&](std::uint32_t step) {
    for (; !is_submitted[step] && next_submission < submission_order_.size(); ++next_submission) {
      std::uint32_t const s = submission_order_[next_submission];
      Submission const& submission = submissions_[s];
      double const before = submission.before == none ? 0 : submitted[submission.before];
      double const barrier = submission.barrier == none ? before : end[submission.barrier];
      submitted[s] = std::max(before, barrier) + overhead * submission.gap_s;
      is_submitted[s] = true;
    }
    return submitted[step];
  };
  double last = 0;
  std::uint32_t edge = 0;
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    Step const& step = steps_[s];
    double start = submissions_.empty() ? 0 : std::max(0.0, submit_until(s));
    for (; edge < step.edge_end; ++edge) {
      Edge const& e = edges_[edge];
      double date = end[e.step];
      if (e.lag != none) {
        Lag const& lag = lags_[e.lag];
        date += lag.early + messages * lag.message + copies * lag.copy;
      }
      start = std::max(start, date);
    }
    start += messages * step.message_s + copies * step.copy_s + overhead * step.overhead_s +
             others * step.unexplained_s;
    end[s] = start + (kept.durations ? step.duration_s : durations[step.task.index()]);
    last = std::max(last, end[s]);
  }
  return last;
}

}  // namespace factosim
