#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

/// Where the durations of single executions come from.
enum class NoiseDistribution {
  none,       // every execution lasts the mean
  normal,     // truncated at 10 % and 190 % of the mean: symmetric, so that the mean stays
  lognormal,  // of the timing's mean and deviation
  empirical   // one of the timing's samples
};

[[nodiscard]] std::string_view name_of(NoiseDistribution distribution);
[[nodiscard]] std::vector<std::string> noise_distribution_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] NoiseDistribution noise_distribution(std::string_view name);

struct NoiseOptions {
  NoiseDistribution distribution = NoiseDistribution::none;
  double scale = 1;                   // of the deviation; of an empirical draw's distance from the mean
  double first_execution_factor = 1;  // the first execution of a kernel on a worker lasts that much longer
  double worker_speed_deviation = 0;  // relative, of a factor drawn once for each worker
  std::uint64_t seed = 0;

  /// Whether some kernel may last anything but its mean.
  [[nodiscard]] bool on() const {
    return distribution != NoiseDistribution::none || first_execution_factor != 1 ||
           worker_speed_deviation > 0;
  }
};

/// How long kernels really last on one node. What is drawn for a task depends on the seed and the task alone,
/// not on what ran before: it is as lucky on any worker and under any policy.
class Noise {
 public:
  Noise(NoiseOptions const& options, Machine const& machine, NodeId node);

  /// The duration, in seconds, of the kernel of the task with that submission number, which starts on the
  /// node's worker. Every call counts as an execution.
  [[nodiscard]] double duration(std::uint32_t task, std::size_t kernel, std::uint32_t worker);

 private:
  /// Without what the worker does to it; `place` is the kernel and worker in the tables of the type.
  [[nodiscard]] double drawn(std::uint32_t task, std::size_t place) const;

  NoiseOptions options_;
  Machine::Type const& type_;
  std::vector<double> worker_factor_;  // [workers of the node]
  std::vector<char> has_run_;          // [kernels][workers of the node]
};

}  // namespace factosim
