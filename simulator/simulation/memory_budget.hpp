#pragma once

#include <cstdint>
#include <map>

namespace factosim {

/// Memory that this process and its children may take, in bytes: what the machine has available now, and what
/// the control group and `ulimit -v` leave.
[[nodiscard]] std::int64_t available_memory_bytes();

/// Decides whether one more simulation fits into the memory. What one takes is guessed from its number of
/// tasks, and learned from those that have ended.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : bytes_(bytes) {}

  /// One that runs alone always fits.
  [[nodiscard]] bool fits(double tasks) const;
  void started(std::size_t job, double tasks);
  /// `peak_rss_bytes`: 0 where it is not known.
  void ended(std::size_t job, std::int64_t peak_rss_bytes);

  /// What a simulation of so many tasks is believed to take, in bytes.
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

}  // namespace factosim
