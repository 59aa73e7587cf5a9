#pragma once

#include <cstddef>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// All executions of one worker in one run.
struct WorkerSample {
  std::size_t group = 0;  // runs of one group have kernels in common, those of different groups have none
  std::size_t run = 0;
  double expected_s = 0;  // sum of the kernels' means; above 0
  double measured_s = 0;
  double error_s2 = 0;  // variance of `measured_s` by the deviations of single executions

  [[nodiscard]] double factor() const { return measured_s / expected_s; }
  /// Returns the variance of `factor()` by the deviations of single executions.
  [[nodiscard]] double factor_error() const { return error_s2 / (expected_s * expected_s); }
};

/// Estimates the relative variances of factors common to a worker in a run, and common to a run, by the
/// method of moments: sums of squares of the factors between workers of a run, and between runs of a group,
/// weighted by expected seconds, equal their expectations. With equal weights these are the estimators of a
/// nested analysis of variance (Searle, Casella, McCulloch, Variance Components, 1992, chapters 3 and 5;
/// with any weights: DerSimonian and Kacker, Contemporary Clinical Trials 28, 2007). Negative estimates
/// become 0. The deviation of runs is unknown if no group has two runs. `samples`: ordered by group, then
/// by run.
[[nodiscard]] Variability estimate_variability(std::vector<WorkerSample> const& samples);

}  // namespace factosim
