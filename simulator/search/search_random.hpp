#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace factosim {

/// Random numbers that do not depend on the standard library.
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : generator_(seed) {}

  /// 0 .. count - 1
  int below(int count) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(count)); }
  /// -1 .. 1
  double around_zero() { return std::ldexp(static_cast<double>(generator_() >> 11), -52) - 1; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace factosim
