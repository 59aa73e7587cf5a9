#pragma once

#include <algorithm>
#include <cmath>

#include "simulator/base/core/sample.hpp"

namespace factosim {

/// Relative difference of repeated runs that is still unsuspicious: what SPEC MPI2007 expects systems to meet
/// (its FAQ).
inline constexpr double repeatable = 0.05;

/// Degrees of freedom that `repeatable`, as an estimate of the deviation of runs, counts as: Student's t has a
/// variance from three on, the least weight that gives finite intervals.
inline constexpr int repeatable_weight = 3;

/// Residual, relative to what is fitted, above which a fit is doubtful.
inline constexpr double doubtful_residual = 0.2;

/// Returns whether two samples with two values or more contradict each other: their means differ by more than
/// repeated runs do, and by more than three standard errors.
[[nodiscard]] inline bool contradict(Moments const& a, Moments const& b) {
  if (a.count < 2 || b.count < 2) return false;
  auto const error = [](Moments const& m) {
    return m.deviation() * m.deviation() / static_cast<double>(m.count);
  };
  double const difference = std::abs(a.mean - b.mean);
  return difference > repeatable * std::min(a.mean, b.mean) &&
         difference > 3 * std::sqrt(error(a) + error(b));
}

}  // namespace factosim
