#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace factosim {

/// A bar on standard error while a simulation runs: done, rate, time left. Silent when standard error is no
/// terminal. Drawn at most ten times a second, and gone at the end.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  void update(std::uint64_t done);

  /// The bar's text after `seconds`; 78 columns.
  [[nodiscard]] static std::string text(std::uint64_t done, std::uint64_t total, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace factosim
