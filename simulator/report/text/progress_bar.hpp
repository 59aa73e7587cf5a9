#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace factosim {

/// A line on standard error in place of the one before; nothing where that is no terminal. Empty: takes the
/// line away.
void show_status(std::string const& line);

/// A bar on standard error while something runs: done, rate, time left. Silent when standard error is no
/// terminal. Drawn at most ten times a second, and gone at the end.
class ProgressBar {
 public:
  /// `items`: what is counted, where that is not the tasks of a simulation.
  explicit ProgressBar(std::uint64_t total, std::string items = {});
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  void update(std::uint64_t done);
  /// Of items that differ in length: `share` of the work is done. `failed` are told where there are any.
  void update(std::uint64_t done, double share, std::uint64_t failed);

  /// The bar's text after `seconds`; 78 columns.
  [[nodiscard]] static std::string text(std::uint64_t done, std::uint64_t total, double seconds);
  struct Items {
    std::string name;
    std::uint64_t done = 0, total = 0, failed = 0;
    double share = 0;  // of the work
  };
  [[nodiscard]] static std::string text(Items const& items, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_due();
  void draw(std::string const& bar);

  std::uint64_t total_;
  std::string items_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace factosim
