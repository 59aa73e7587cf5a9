#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

constexpr double draw_round_off = 1e-6;  // relative: factors are drawn in single precision
constexpr double standard_errors = 6;    // one false alarm in about 500 million means

/// All executions of one kernel with one timing.
struct Group {
  double sum = 0;
  std::uint64_t count = 0;
  double mean = 0, deviation = 0;  // of one execution, as modelled
  std::uint32_t first = 0;         // one of its tasks
};

/// Smallest and largest value that a run permits.
struct Range {
  double low = 1, high = 1;
};

/// The tasks that run on the cores of each socket; none if no timing has a slow-down.
class BusyCores {
 public:
  explicit BusyCores(RunView const& view) : view_(view) {
    auto const slowed = [](KernelTiming const& t) { return !t.slowdown.points.empty(); };
    if (std::ranges::none_of(view.run.models,
                             [&](KernelModel const& m) { return std::ranges::any_of(m.timings, slowed); }))
      return;
    for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
      if (!view.ran(t) || view.worker(t).device == Trace::Device::gpu) continue;
      Dates& dates = sockets_[socket_of(t)];
      dates.starts.push_back(view.start_s(t));
      dates.ends.push_back(view.end_s(t));
    }
    for (auto& [socket, dates] : sockets_) {
      std::ranges::sort(dates.starts);
      std::ranges::sort(dates.ends);
    }
  }

  /// Returns how many cores of the task's socket compute at its start, with its own. Tasks that start or end
  /// at that date may count or not.
  [[nodiscard]] Range at_start(std::uint32_t task) const {
    Dates const& dates = sockets_.at(socket_of(task));
    double const before = view_.start_s(task) - view_.tie_s, after = view_.start_s(task) + view_.tie_s;
    double const certain = count(dates.starts, before) - count(dates.ends, after);
    return {std::max(0.0, certain) + 1, count(dates.starts, after) - count(dates.ends, before)};
  }

 private:
  struct Dates {
    std::vector<double> starts, ends;  // sorted
  };
  [[nodiscard]] std::pair<NodeId, std::size_t> socket_of(std::uint32_t task) const {
    NodeId const node = view_.node(task);
    return {node, view_.machine.workers(node)[view_.local_worker(task)].socket};
  }
  /// Returns how many of the dates are not after `limit`.
  [[nodiscard]] static double count(std::vector<double> const& dates, double limit) {
    return static_cast<double>(std::upper_bound(dates.begin(), dates.end(), limit) - dates.begin());
  }

  RunView const& view_;
  std::map<std::pair<NodeId, std::size_t>, Dates> sockets_;
};

class DurationCheck {
 public:
  DurationCheck(RunView const& view, Check& check)
      : view_(view), noise_(view.run.noise), check_(check), busy_cores_(view), gpu_time_(view) {}

  void check_all() {
    for (std::uint32_t t = 0; t < view_.run.graph.task_count(); ++t)
      if (view_.ran(t)) check(t);
    for (auto const& [key, group] : groups_) check_mean(group);
  }

 private:
  void check(std::uint32_t t) {
    std::size_t const kernel = view_.run.graph.kernel[t];
    double const weight = view_.machine.weight(view_.node(t), t, view_.local_worker(t));
    double const mean = weight * view_.on_worker(t).mean_s;
    if (std::isinf(mean)) return;  // reported by another check
    double const capped = view_.on_worker(t).capped;
    KernelTiming const* const timing = view_.on_worker(t).timing;
    double const duration = gpu_time_.alone_s(t);
    ++check_.cases;
    Range const prolonged = prolongation(t, timing);
    auto const [minimum, maximum] = limits(mean, prolonged, timing);
    double const slack = view_.tie_s + draw_round_off * mean * (on() ? 1 : 1e-3);
    bool ok = duration >= minimum - slack && duration <= maximum + slack;
    if (ok && noise_.kind == NoiseModel::Kind::empirical && !noise_.speed_factors && prolonged.high == 1)
      ok = is_sample(duration / capped, mean / capped, timing,
                     slack + noise_.precision * duration / (1 - noise_.precision));
    if (!ok)
      check_.add({fmt::format("lasts {:.9g} s", duration), view_.name_of_task(t),
                  description(minimum, maximum), TaskId{t}, view_.start_s(t)});
    if (!on() || timing == nullptr || weight != 1 || noise_.kind == NoiseModel::Kind::empirical ||
        prolonged.high != 1)
      return;
    Group& group = groups_[{view_.run.platform.nodes[view_.node(t).index()], kernel, timing->worker}];
    if (group.count == 0) group.first = t;
    group.sum += duration;
    ++group.count;
    group.mean = mean;
    group.deviation =
        noise_.kind == NoiseModel::Kind::none ? 0 : noise_.scale * capped * timing->deviation.value;
  }

  [[nodiscard]] bool on() const {
    return noise_.kind != NoiseModel::Kind::none || noise_.first_execution_factor != 1 ||
           noise_.speed_factors;
  }

  [[nodiscard]] static std::string description(double minimum, double maximum) {
    if (minimum == maximum) return fmt::format("{:.9g} s", minimum);
    return std::isinf(maximum) ? fmt::format("at least {:.9g} s", minimum)
                               : fmt::format("between {:.9g} and {:.9g} s", minimum, maximum);
  }

  /// Returns the factors by which busy cores and the communication thread may prolong the task.
  [[nodiscard]] Range prolongation(std::uint32_t t, KernelTiming const* timing) const {
    Range out;
    if (timing != nullptr && !timing->slowdown.points.empty()) {
      Range const busy = busy_cores_.at_start(t);
      out = {infinite, 0};
      for (double cores = busy.low; cores <= busy.high; ++cores) {
        double const factor = timing->slowdown.at(static_cast<int>(cores));
        out = {std::min(out.low, factor), std::max(out.high, factor)};
      }
    }
    CommunicationThread const& thread = view_.run.platform.type_of(view_.node(t)).communication;
    if (!view_.machine.workers(view_.node(t))[view_.local_worker(t)].shares_core || !thread.takes_time())
      return out;
    return {out.low / thread.worker_share,
            thread.handles_messages() ? infinite : out.high / thread.worker_share};
  }

  /// Returns the minimum and maximum duration of one execution. The first execution of a kernel on a worker
  /// is not distinguished: the first to start need not be the first to end.
  [[nodiscard]] std::pair<double, double> limits(double mean, Range prolonged,
                                                 KernelTiming const* timing) const {
    double minimum = mean, maximum = mean;
    bool const drawn = timing != nullptr && timing->deviation.value > 0;
    if (noise_.kind == NoiseModel::Kind::normal && drawn) minimum = 0.1 * mean, maximum = 1.9 * mean;
    if (noise_.kind == NoiseModel::Kind::lognormal && drawn) minimum = 0, maximum = infinite;
    if (noise_.kind == NoiseModel::Kind::empirical && timing != nullptr) minimum = 0, maximum = infinite;
    minimum *= std::min(1.0, noise_.first_execution_factor);
    maximum *= std::max(1.0, noise_.first_execution_factor);
    if (noise_.speed_factors) minimum = 0, maximum = infinite;
    minimum *= 1 - noise_.precision;
    maximum *= 1 + noise_.precision;
    return {minimum * prolonged.low, maximum > 0 ? maximum * prolonged.high : 0};
  }

  [[nodiscard]] bool is_sample(double duration, double mean, KernelTiming const* timing, double slack) const {
    if (timing == nullptr) return duration <= slack;
    return std::ranges::any_of(timing->sample_seconds, [&](double sample) {
      double const drawn = std::max(mean + noise_.scale * (sample - mean), std::min(sample, 0.1 * mean));
      return std::abs(duration - drawn) <= slack ||
             std::abs(duration - drawn * noise_.first_execution_factor) <= slack;
    });
  }

  void check_mean(Group const& group) {
    if (noise_.speed_factors || noise_.first_execution_factor != 1) return;
    if (group.count < 30) return;  // too few for a test
    ++check_.cases;
    auto const n = static_cast<double>(group.count);
    double const error = standard_errors * group.deviation / std::sqrt(n);
    if (std::abs(group.sum / n - group.mean) >
        error + 0.01 * group.deviation + noise_.precision * group.mean + view_.tie_s)
      check_.add({fmt::format("{} executions last {:.6g} s in the mean", group.count, group.sum / n),
                  fmt::format("{} and its like", view_.name_of_task(group.first)),
                  fmt::format("{:.6g} s, give or take {:.2g}", group.mean, error), TaskId{group.first}});
  }

  static constexpr double infinite = std::numeric_limits<double>::infinity();

  RunView const& view_;
  NoiseModel const& noise_;
  Check& check_;
  BusyCores busy_cores_;
  GpuTime gpu_time_;
  std::map<std::tuple<std::uint32_t, std::size_t, std::string>, Group> groups_;
};

}  // namespace

void check_durations(RunView const& view, AuditReport& report) {
  Check& check = report.check("durations");
  if (view.run.runtime.rounded_means) return check.skip("a replay: durations are the recorded run's");
  DurationCheck(view, check).check_all();
}

}  // namespace factosim::audit
