#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace factosim {

/// Replaces the last line on standard error; does nothing if that is not a terminal. An empty text removes
/// the line.
void show_status(std::string const& line);

/// Makes `show_status` and all later progress bars do nothing.
void hide_progress();

/// Shows progress on standard error: share done, rate, time left. Does nothing if standard error is not a
/// terminal. Drawn at most ten times a second and removed at the end.
class ProgressBar {
 public:
  /// `items`: the name of the counted items, if not the tasks of a simulation.
  explicit ProgressBar(std::uint64_t total, std::string items = {});
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  void update(std::uint64_t done);
  /// For items of different length: `share` of the work is done. `failed` is shown if it is not 0.
  void update(std::uint64_t done, double share, std::uint64_t failed);

  /// Returns the text of the bar after `seconds`; 78 columns.
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
