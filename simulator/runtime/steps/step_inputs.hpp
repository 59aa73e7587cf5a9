#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/runtime/steps/step_tiles.hpp"

namespace factosim {

/// The partition of the anti-diagonals u = m + n into the groups of each step: intervals [i 2^j, (i + 1) 2^j), the widest
/// whose width is at most their distance from the panel, begin - 2k, divided by the resolution. Groups of later steps are
/// parts of those of earlier ones: what a group reads and waits for lies in groups that end no later.
class StepPartition {
 public:
  StepPartition(std::uint32_t nt, std::uint32_t resolution)
      : resolution_(resolution),
        count_((static_cast<std::uint32_t>(std::bit_width(2 * nt / resolution)) + 1) * (resolution + 3) +
               resolution) {}

  /// Number of the group of tiles with m + n = u >= 2k in step k; it grows with u.
  [[nodiscard]] std::uint16_t group_of(std::uint32_t u, std::uint32_t k) const {
    std::uint32_t const distance = u - 2 * k;
    std::uint32_t width = std::bit_floor(std::max(1U, distance / resolution_));
    while (!is_narrow(u & ~(width - 1), width, k)) width /= 2;
    std::uint32_t const begin = std::max(u & ~(width - 1), 2 * k);
    return static_cast<std::uint16_t>(
        static_cast<std::uint32_t>(std::countr_zero(width)) * (resolution_ + 3) + (begin - 2 * k) / width);
  }
  /// Bound of the numbers.
  [[nodiscard]] std::uint16_t count() const { return static_cast<std::uint16_t>(count_); }
  /// Whether an interval is narrow enough for step k.
  [[nodiscard]] bool is_narrow(std::uint32_t begin, std::uint32_t width, std::uint32_t k) const {
    return width <= 1 || (begin >= 2 * k && width * resolution_ <= begin - 2 * k);
  }

 private:
  std::uint32_t resolution_, count_;
};

/// Which tiles of each panel each node has, of those that its updates read.
class StepInputs {
 public:
  StepInputs(StepLines& lines, StepPartition const& partition, std::size_t nodes)
      : lines_(lines), partition_(partition), steps_(nodes) {}

  /// The node has all inputs for the groups of step k before this number.
  [[nodiscard]] std::uint16_t complete_before(std::size_t node, std::uint32_t k) {
    return at(node, k).first_missing;
  }
  /// `tiles` of the panel have arrived whose first readers are in that group. Returns whether `complete_before` grew.
  bool arrived(std::size_t node, std::uint32_t k, std::uint16_t number, std::uint32_t tiles);

  [[nodiscard]] bool has_diagonal(std::size_t node, std::uint32_t k) { return at(node, k).diagonal; }
  void diagonal_arrived(std::size_t node, std::uint32_t k) { at(node, k).diagonal = true; }

 private:
  static constexpr std::uint16_t all = std::numeric_limits<std::uint16_t>::max();

  struct Step {
    std::uint32_t missing = 0;        // place in missing_
    std::uint16_t first_missing = 0;  // group; `all`: none
    bool diagonal = false;
  };

  Step& at(std::size_t node, std::uint32_t k) {
    while (steps_[node].size() <= k) add_step(node);
    return steps_[node][k];
  }
  void add_step(std::size_t node);
  void skip_complete(Step& step);

  StepLines& lines_;
  StepPartition const& partition_;
  std::vector<std::vector<Step>> steps_;  // [nodes]
  std::vector<std::uint32_t> missing_;    // [blocks][groups] tiles
  std::vector<std::uint32_t> free_;       // blocks
};

}  // namespace factosim
