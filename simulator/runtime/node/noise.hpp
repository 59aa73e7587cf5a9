#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The purpose of a random number: numbers of different streams are independent.
enum class RandomStream : std::uint64_t {
  task = 1,
  worker = 2,
  block = 3,
  run = 4,
  perturbation = 5,
  overhead = 6
};

/// Returns a number in ]0, 1[ that depends only on its arguments and is uniformly distributed over ids.
[[nodiscard]] double uniform(std::uint64_t seed, RandomStream stream, std::uint64_t id);

/// Returns quantile `u` of a normal distribution with mean 1 and that standard deviation, truncated to 0.1 to
/// 1.9. Truncation reduces the standard deviation: 0.25 by 0.2 %, 0.3 by 1.3 %.
[[nodiscard]] double normal_factor(double deviation, double u);

/// Returns quantile `u` of a lognormal distribution with mean 1 and that standard deviation.
[[nodiscard]] double lognormal_factor(double deviation, double u);

/// Returns quantile `u` of a uniform distribution between 1 - `precision` and 1 + `precision`: what is known of a number
/// that is stated to that relative precision.
[[nodiscard]] inline double precision_factor(double precision, double u) {
  return 1 + precision * (2 * u - 1);
}

/// Lower end of the truncated normal distribution.
inline constexpr double min_random_factor = 0.1;

/// The distribution of single executions' durations.
enum class NoiseDistribution {
  none,       // all equal to the mean
  normal,     // truncated at 10 % and 190 % of the mean, which keeps the mean
  lognormal,  // with the mean and standard deviation of the timing
  empirical,  // one of the samples of the timing
  calibrated  // as the kernel file says: samples, first executions, and factors of workers and of the run
};

[[nodiscard]] constexpr NamedValues<NoiseDistribution, 5> names_of(NoiseDistribution /*any*/) {
  using enum NoiseDistribution;
  return {"noise distribution",
          {{{none, "none"},
            {normal, "normal"},
            {lognormal, "lognormal"},
            {empirical, "empirical"},
            {calibrated, "calibrated"}}}};
}

struct NoiseOptions {
  NoiseDistribution distribution = NoiseDistribution::none;
  double scale = 1;  // of the standard deviation; of an empirical sample's distance from the mean
  double first_execution_factor = 1;  // of the first execution of a kernel on a worker
  double worker_speed_deviation = 0;  // relative, of a factor per worker and run
  double run_speed_deviation = 0;     // relative, of a factor per run, common to all workers
  std::uint64_t seed = 0;

  // Perturbation within the precision that inputs are known to; all of it draws from its own seed.
  double duration_precision = 0;  // relative, of each execution's duration, above all that is drawn for it
  double overhead_precision = 0;  // relative, of each cost of the runtime system in a run
  std::uint64_t perturbation_seed = 0;

  /// Returns whether durations may differ from the mean.
  [[nodiscard]] bool on() const {
    return distribution != NoiseDistribution::none || first_execution_factor != 1 ||
           worker_speed_deviation > 0 || run_speed_deviation > 0 || duration_precision > 0;
  }
  [[nodiscard]] bool perturbs() const { return duration_precision > 0 || overhead_precision > 0; }
};

/// Default precisions for the sensitivity of a makespan. Durations: enough to break
/// every tie, and below what any mean is known to. Overheads: StarPU's constants are stated to two digits, and half a
/// unit of the second digit is up to 5 %.
inline constexpr double tie_breaking_precision = 1e-6, stated_overhead_precision = 0.05;

/// Returns the options with each cost of the runtime system drawn within its precision, the same for all nodes.
[[nodiscard]] RuntimeOptions perturbed(RuntimeOptions options, NoiseOptions const& noise);

/// Returns the factor of a whole run on all durations: 1 on average, lognormal with that relative deviation.
[[nodiscard]] double run_factor(double deviation, std::uint64_t seed);

/// Draws the durations of kernels on one node. The random number of a task depends only on the seed and the
/// task: it is the same on any worker and under any policy.
class Noise {
 public:
  Noise(NoiseOptions const& options, Machine const& machine, NodeId node);

  /// Returns the duration, in seconds, of the kernel of the task with that submission number on that worker
  /// of the node. Each call counts as an execution.
  [[nodiscard]] double duration(std::uint32_t task, std::size_t kernel, std::uint32_t worker);

 private:
  void set_speed_factors(double worker_deviation, double run_deviation, std::uint64_t first_worker);
  /// Returns the duration without the factors of the worker and the run. `place`: index of the kernel and the
  /// worker in the tables of the type; `first`: the worker has not run that kernel before.
  [[nodiscard]] double drawn(std::uint32_t task, std::size_t place, bool first) const;

  NoiseOptions options_;
  Machine::Type const& type_;
  std::vector<double> worker_factor_;  // [workers of the node] times that of the run
  std::vector<char> has_run_;          // [kernels][workers of the node]
};

}  // namespace factosim
