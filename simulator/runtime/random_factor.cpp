#include "simulator/runtime/random_factor.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace factosim {

namespace {

/// Splitmix64 (Steele, Lea, Flood 2014): increments the counter and mixes its bits.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Quantile of the standard normal distribution.
double normal_quantile(double u) { return boost::math::quantile(boost::math::normal(), u); }

/// Rounds to 24 bits: the last bits of exp and log differ between C libraries, and results must not.
double rounded(double factor) { return static_cast<double>(static_cast<float>(factor)); }

}  // namespace

/// An odd multiple of 2^-53: above 0, below 1, and the mean is exactly a half.
double uniform(std::uint64_t seed, RandomStream stream, std::uint64_t id) {
  std::uint64_t const bits = mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(stream)) ^ id);
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
