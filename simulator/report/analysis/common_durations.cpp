#include "simulator/report/analysis/common_durations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

CommonDurations::CommonDurations(std::array<Trace const*, 2> traces, bool by_type)
    : same_nodes_(traces[0]->nodes.size() == traces[1]->nodes.size()) {
  for (std::size_t run = 0; run < 2; ++run) classify(*traces[run], run, by_type);
  for (auto const& [kernel, tasks] : tasks_) tasks_differ_ = tasks_differ_ || tasks[0] != tasks[1];
  compare_means();
  for (std::size_t run = 0; run < 2; ++run) set_durations(*traces[run], run);
}

double CommonDurations::Sample::standard_error() const {
  if (count < 2) return 0;
  auto const n = static_cast<double>(count);
  return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / (n - 1));
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
    if (same_nodes_) by_node_[{c, trace.node_of(TaskId{t}).value()}][run].add(duration);
    ++tasks_[classes_[c].kernel][run];
  }
}

void CommonDurations::compare_means() {
  for (Pair const& pair : by_class_) {
    if (pair[0].count == 0 || pair[1].count == 0) continue;
    double const error = std::hypot(pair[0].standard_error(), pair[1].standard_error());
    double const tolerance = 3 * error + 0.002 * pair[0].mean();
    means_differ_ = means_differ_ || std::abs(pair[1].mean() - pair[0].mean()) > tolerance;
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
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    if (!trace.ran(TaskId{t})) continue;
    std::uint32_t const c = class_[run][t];
    auto const& tasks = tasks_.at(classes_[c].kernel);
    double const other_tasks = tasks[1 - run] / tasks[run];  // for one of this run
    Pair const* pair = &by_class_[c];
    if (same_nodes_) {
      Pair const& here = by_node_.at({c, trace.node_of(TaskId{t}).value()});
      if (here[1 - run].count > 0) pair = &here;
    }
    durations_[run][t] = common(*pair, other_tasks, run);
  }
}

}  // namespace factosim
