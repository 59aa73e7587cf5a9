#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "simulator/base/core/id_table.hpp"
#include "simulator/tasks/bounds/load_and_path.hpp"

namespace factosim {

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
