#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/bounds/load_and_path.hpp"

namespace factosim {

/// Counts tasks of equal head, tail and kernel. Memory for at most `most_different` of them: with more, heads and tails are
/// rounded down to multiples of the least power of two ticks for which this suffices, whatever the order of the tasks. A
/// bound from shorter chains is a bound, too.
class PathCounts {
 public:
  static constexpr std::size_t usual_most_different = std::size_t{1} << 20U;

  explicit PathCounts(std::size_t most_different = usual_most_different);
  void add(double head, double tail, std::uint16_t kernel);
  /// In the order of their first tasks.
  [[nodiscard]] std::vector<PathTasks> const& tasks() const { return tasks_; }

 private:
  [[nodiscard]] std::size_t place_of(PathTasks const& task) const;
  void grow();
  /// Adds the amount to that of equal tasks.
  void count(PathTasks const& task);
  [[nodiscard]] double rounded(double chain) const { return std::floor(chain / unit_) * unit_; }
  /// Doubles the unit.
  void round_more();

  std::size_t most_different_;
  double unit_ = 1;  // ticks
  std::vector<PathTasks> tasks_;
  std::vector<std::uint32_t> places_;  // open addressing: indices into tasks_
  std::size_t last_ = 0;               // that of the last task
};

}  // namespace factosim
