#include "simulator/audit/duration_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

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

class DurationCheck {
 public:
  DurationCheck(RunView const& view, Check& check) : view_(view), noise_(view.run.noise), check_(check) {}

  void check_all() {
    for (std::uint32_t t = 0; t < view_.run.graph.task_count(); ++t)
      if (view_.ran(t)) check(t);
    for (auto const& [key, group] : groups_) check_mean(group);
  }

 private:
  void check(std::uint32_t t) {
    std::size_t const kernel = view_.run.graph.kernel[t];
    double const mean = view_.machine.mean_s(view_.node(t), kernel, view_.local_worker(t));
    if (std::isinf(mean)) return;  // reported by another check
    KernelTiming const* const timing = view_.machine.timing(view_.node(t), kernel, view_.local_worker(t));
    double const duration = view_.end_s(t) - view_.start_s(t);
    ++check_.cases;
    auto const [minimum, maximum] = limits(t, mean, timing);
    double const slack = tie_s + draw_round_off * mean * (on() ? 1 : 1e-3);
    bool ok = duration >= minimum - slack && duration <= maximum + slack;
    if (ok && noise_.kind == NoiseModel::Kind::empirical && !noise_.speed_factors)
      ok = is_sample(duration, mean, timing, slack);
    if (!ok)
      check_.add({fmt::format("lasts {:.9g} s", duration), view_.name_of_task(t),
                  description(minimum, maximum), TaskId{t}, view_.start_s(t)});
    if (!on() || timing == nullptr || noise_.kind == NoiseModel::Kind::empirical) return;
    Group& group = groups_[{view_.run.platform.nodes[view_.node(t).index()], kernel, timing->worker}];
    if (group.count == 0) group.first = t;
    group.sum += duration;
    ++group.count;
    group.mean = mean;
    group.deviation = noise_.kind == NoiseModel::Kind::none ? 0 : noise_.scale * timing->deviation.value;
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

  /// Returns the minimum and maximum duration of one execution. The first execution of a kernel on a worker
  /// is not distinguished: the first to start need not be the first to end.
  [[nodiscard]] std::pair<double, double> limits(std::uint32_t, double mean,
                                                 KernelTiming const* timing) const {
    double minimum = mean, maximum = mean;
    bool const drawn = timing != nullptr && timing->deviation.value > 0;
    if (noise_.kind == NoiseModel::Kind::normal && drawn) minimum = 0.1 * mean, maximum = 1.9 * mean;
    if (noise_.kind == NoiseModel::Kind::lognormal && drawn) minimum = 0, maximum = infinite;
    if (noise_.kind == NoiseModel::Kind::empirical && timing != nullptr) minimum = 0, maximum = infinite;
    minimum *= std::min(1.0, noise_.first_execution_factor);
    maximum *= std::max(1.0, noise_.first_execution_factor);
    if (noise_.speed_factors) minimum = 0, maximum = infinite;
    return {minimum, maximum};
  }

  [[nodiscard]] bool is_sample(double duration, double mean, KernelTiming const* timing, double slack) const {
    if (timing == nullptr) return duration <= slack;
    return std::any_of(timing->sample_seconds.begin(), timing->sample_seconds.end(), [&](double sample) {
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
    if (std::abs(group.sum / n - group.mean) > error + 0.01 * group.deviation + tie_s)
      check_.add({fmt::format("{} executions last {:.6g} s in the mean", group.count, group.sum / n),
                  fmt::format("{} and its like", view_.name_of_task(group.first)),
                  fmt::format("{:.6g} s, give or take {:.2g}", group.mean, error), TaskId{group.first}});
  }

  static constexpr double infinite = std::numeric_limits<double>::infinity();

  RunView const& view_;
  NoiseModel const& noise_;
  Check& check_;
  std::map<std::tuple<std::uint32_t, std::size_t, std::string>, Group> groups_;
};

}  // namespace

void check_durations(RunView const& view, AuditReport& report) {
  Check& check = report.check("durations");
  if (view.run.runtime.rounded_means) return check.skip("a replay: durations are the recorded run's");
  DurationCheck(view, check).check_all();
}

}  // namespace factosim::audit
