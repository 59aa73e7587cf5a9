#pragma once

#include <cstdint>

namespace factosim {

/// What a number is drawn for: numbers of different streams have nothing to do with each other.
enum class RandomStream : std::uint64_t { task = 1, worker = 2, block = 3 };

/// A number in ]0, 1[ that depends on its arguments alone; over ids, uniformly distributed.
[[nodiscard]] double uniform(std::uint64_t seed, RandomStream stream, std::uint64_t id);

/// Quantile `u` of factors of mean 1 and that deviation, normally distributed between 0.1 and 1.9. The
/// truncation takes from the deviation: 0.2 % of one of 0.25, 1.3 % of one of 0.3.
[[nodiscard]] double normal_factor(double deviation, double u);

/// Quantile `u` of factors of mean 1 and that deviation, lognormally distributed.
[[nodiscard]] double lognormal_factor(double deviation, double u);

/// What the truncation leaves at least.
inline constexpr double min_random_factor = 0.1;

}  // namespace factosim
