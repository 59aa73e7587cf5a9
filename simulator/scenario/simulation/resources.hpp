#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "factosim/result.hpp"

namespace factosim {

/// Returns the memory available to this process and its children, in bytes: the minimum of the memory
/// available on this computer and of the limits of the control group and of `ulimit -v`.
[[nodiscard]] std::int64_t available_memory_bytes();

/// Decides whether one more simulation fits into the memory. Estimates the memory of a simulation from its
/// number of tasks and from the simulations that have ended.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : bytes_(bytes) {}

  /// Returns whether the simulation fits; one that runs alone always does.
  [[nodiscard]] bool fits(double tasks) const;
  void started(std::size_t job, double tasks);
  /// `peak_rss_bytes`: 0 if it is not known.
  void ended(std::size_t job, std::int64_t peak_rss_bytes);

  /// Returns the estimated memory of a simulation of so many tasks, in bytes.
  [[nodiscard]] double guess(double tasks) const;

 private:
  struct Job {
    double tasks, bytes;
  };
  std::int64_t bytes_;
  double bytes_per_task_ = 400;  // until one has ended; measured: 150
  bool learned_ = false;
  double taken_ = 0;
  std::map<std::size_t, Job> running_;
};

/// Returns the processor time of this process so far, in seconds.
double process_cpu_seconds();

[[nodiscard]] double tasks_per_second(std::uint64_t tasks, double cpu_s);

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
