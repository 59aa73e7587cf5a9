#pragma once

#include <chrono>
#include <cstdint>

#include "factosim/result.hpp"

namespace factosim {

/// Returns the processor time of this process so far, in seconds.
double process_cpu_seconds();

/// Measures time and memory from its construction to `cost`.
class CostMeter {
 public:
  CostMeter();
  /// Returns the cost of a simulation of that many tasks that ends now.
  [[nodiscard]] Result::Cost cost(std::uint64_t tasks) const;

 private:
  std::chrono::steady_clock::time_point wall_start_;
  double cpu_start_s_;
};

}  // namespace factosim
