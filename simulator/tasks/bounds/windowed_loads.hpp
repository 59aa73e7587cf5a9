#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace factosim {

/// Work of one resource that cannot begin before `head` and that a chain of `tail` follows.
struct WindowedWork {
  double head = 0, tail = 0, work = 0;
};

/// The bound of `work_and_path` (load_and_path.hpp) for work that comes piece by piece. Memory for the pairs of
/// intervals of heads and tails that occur.
class WindowedLoads {
 public:
  /// No head and no tail is longer.
  WindowedLoads(double longest_head, double longest_tail);

  void add(WindowedWork const& work) {
    pending_.push_back(work);
    if (pending_.size() == batch) count_pending();
  }
  [[nodiscard]] double bound();

  static constexpr std::size_t head_intervals =
      33;  // shorter than 1/256 of the longest one, and four for each doubling
  static constexpr std::size_t tail_intervals = 1024;
  /// Interval of a head; the first one has the shortest heads. Heads at the start matter most.
  static std::size_t head_interval(double head, double longest);
  /// Interval of a tail; the first one has the longest tails.
  static std::size_t tail_interval(double tail, double longest);

 private:
  static constexpr std::size_t batch =
      64;  // counted at once: the intervals of many resources do not fit a cache
  static constexpr std::size_t block_size = 64;
  static constexpr std::size_t blocks = tail_intervals / block_size;  // of a row

  void count_pending();

  double longest_head_, longest_tail_;
  std::vector<WindowedWork> pending_;
  std::array<double, head_intervals> shortest_head_;  // of each interval
  std::vector<double> shortest_tail_;                 // [tail intervals]
  std::vector<std::uint32_t> block_;  // [head intervals][blocks] numbers in loads_; 0: without work
  std::vector<double> loads_;         // [blocks with work, from 1 on][block_size]
  std::uint64_t count_ = 0;
};

}  // namespace factosim
