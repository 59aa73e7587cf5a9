#pragma once

#include <cstdint>

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

}  // namespace factosim
