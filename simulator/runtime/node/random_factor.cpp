#include "simulator/runtime/node/random_factor.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "simulator/base/core/split_mix.hpp"

namespace factosim {

namespace {

/// Quantile of the standard normal distribution.
double normal_quantile(double u) { return boost::math::quantile(boost::math::normal(), u); }

/// Rounds to 24 bits: the last bits of exp and log differ between C libraries, and results must not.
double rounded(double factor) { return static_cast<double>(static_cast<float>(factor)); }

}  // namespace

/// An odd multiple of 2^-53: above 0, below 1, and the mean is exactly a half.
double uniform(std::uint64_t seed, RandomStream stream, std::uint64_t id) {
  std::uint64_t const bits = split_mix(split_mix(split_mix(seed) ^ static_cast<std::uint64_t>(stream)) ^ id);
  return static_cast<double>(bits >> 11 | 1U) * 0x1p-53;
}

double normal_factor(double deviation, double u) {
  double const limit = (1 - min_random_factor) / deviation;
  double const below = std::erfc(limit / std::numbers::sqrt2) / 2;
  double const quantile = normal_quantile(below + u * (1 - 2 * below));
  return rounded(1 + deviation * std::clamp(quantile, -limit, limit));
}

double lognormal_factor(double deviation, double u) {
  double const variance = std::log1p(deviation * deviation);  // of the logarithm
  return rounded(std::exp(std::sqrt(variance) * normal_quantile(u) - variance / 2));
}

}  // namespace factosim
