#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "simulator/base/core/id_table.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

/// Work of one resource that cannot begin before `head` and that a chain of `tail` follows.
struct WindowedWork {
  double head = 0, tail = 0, work = 0;
};

/// The bound of `work_and_path` for work that comes piece by piece. Memory for the pairs of
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

/// Equal tasks: an amount of one kind of work, with the longest chains before and after each of them.
struct PathTasks {
  double head = 0, tail = 0;  // in ticks, of ChainHead::fastest and ChainTail::fastest
  std::uint16_t kind = 0;
  double amount = 0;
};

/// Lower bound of the makespan on workers of these classes: for any r and q, the tasks that a chain of at least r
/// precedes and a chain of at least q follows run between r and makespan - q, so that r plus their area bound plus q is
/// a lower bound. Returns the largest for all q that are tails of tasks (`PathTasks::tail`) with r = 0, and for
/// intervals of q with the least heads (`PathTasks::head`) of some thirty intervals. The area bound of the whole
/// graph, r = q = 0, is one of them.
///
/// Source: the lower bounds of Fernandez and Bussell, IEEE Transactions on Computers C-22(8), 1973, and of
/// Carlier, EJOR 11, 1982 (head plus work plus tail), with the area bound of unrelated workers (ICPADS 2020, section
/// IV) in place of the work. Windows are searched by the prices of the area bound's dual program, which bound it
/// from below for each set of tasks. Whole amounts have the bound of the single tasks to the last bit. O(tasks), and
/// about ten linear programs.
[[nodiscard]] Seconds area_and_path(std::span<PathTasks const> tasks, std::size_t kinds,
                                    std::span<WorkerClass const> classes);

/// The same for a resource that takes all this work, one after the other, with heads and tails of its own. O(work).
[[nodiscard]] double work_and_path(std::span<WindowedWork const> work);

/// Counts tasks of equal head, tail and kernel. Memory for at most `most_different` of them: with more, heads and tails are
/// rounded down to multiples of the least power of two ticks for which this suffices, whatever the order of the tasks. A
/// bound from shorter chains is a bound, too.
///
/// Tasks that follow each other often have the same head: its tails are next to each other in memory.
class PathCounts {
 public:
  static constexpr std::size_t usual_most_different = std::size_t{1} << 20U;

  explicit PathCounts(std::size_t most_different = usual_most_different) : most_different_(most_different) {}
  /// Chains in ticks: whole numbers, not negative.
  void add(double head, double tail, std::uint16_t kernel) {
    count(head, tail, kernel, 1);
    while (different_ > most_different_) double_unit();
  }
  /// By head, then by kernel.
  [[nodiscard]] std::vector<PathTasks> tasks() const;

 private:
  /// A tail in units.
  class Tail {
   public:
    Tail() = default;
    explicit Tail(double units) : units_(static_cast<std::uint64_t>(units)) {}
    [[nodiscard]] std::uint64_t value() const { return units_; }
    [[nodiscard]] bool valid() const { return units_ != none; }
    bool operator==(Tail const&) const = default;

   private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t units_ = none;
  };
  using Tails = IdTable<Tail, double>;  // amounts

  /// Adds the amount to that of equal tasks.
  void count(double head, double tail, std::uint16_t kernel, double amount);
  /// Doubles the unit, in which fewer tasks differ.
  void double_unit();

  std::size_t most_different_;
  std::size_t different_ = 0;
  double unit_ = 1;                                          // ticks
  std::map<std::pair<double, std::uint16_t>, Tails> tails_;  // by head in units and kernel
  std::pair<double, std::uint16_t> last_{-1, 0};             // key of `last_tails_`
  Tails* last_tails_ = nullptr;                              // of the last task
};

}  // namespace factosim
