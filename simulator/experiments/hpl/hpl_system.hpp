#pragma once

#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/experiments/hpl/hpl_scenario.hpp"

namespace factosim {

/// The processes of HPL on the nodes of a platform: durations of their kernels, in seconds. Process (r, c) of the grid
/// has the number c P + r, so that a column of processes is contiguous.
class HplSystem {
 public:
  explicit HplSystem(HplScenario const& scenario);

  [[nodiscard]] HplProblem const& problem() const { return problem_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::size_t number(int r, int c) const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(problem_.p) + static_cast<std::size_t>(r);
  }
  [[nodiscard]] NodeId node_of(std::size_t process) const { return NodeId{nodes_[process]}; }
  [[nodiscard]] HplMachineCosts const& costs_of(std::size_t process) const { return *costs_[process]; }

  /// Factor of the update with that number by a process: as drawn, 1 on average.
  [[nodiscard]] double update_factor(std::size_t process, std::uint64_t update) const;
  [[nodiscard]] bool updates_vary() const { return updates_vary_; }

  /// Solve with a triangle of order `width` and update of `rows` x `columns` elements; `copies_u`: the process owns
  /// the rows of U and stores them.
  [[nodiscard]] double update_s(std::size_t process, std::int64_t rows, std::int64_t columns, int width,
                                bool copies_u) const;
  /// Factorization of its part of a panel, without messages.
  [[nodiscard]] double panel_s(std::size_t process, std::int64_t rows, int width) const;
  /// Copies into and out of buffers of `count` elements.
  [[nodiscard]] double copy_s(std::size_t process, double count) const {
    return factors_[process] * 16 * count / costs_[process]->memory.value;
  }

  /// Bytes of the panel that a process of a row sends: its rows below the triangle, the triangle and the pivots.
  [[nodiscard]] double panel_bytes(std::int64_t rows_below, int width) const {
    double const w = width;
    return 8 * (static_cast<double>(rows_below) * w + w * w + w + 1);
  }
  /// Bytes of a message of the search for a pivot: two rows of the panel and four numbers.
  [[nodiscard]] double pivot_bytes(int width) const { return 8 * (2.0 * width + 4); }

 private:
  HplProblem problem_;
  NoiseOptions noise_;
  std::vector<std::uint32_t> nodes_;           // [processes]
  std::vector<HplMachineCosts const*> costs_;  // [processes]
  std::vector<double> factors_;                // [processes] of all durations: as measured, drawn
  bool updates_vary_ = false;
};

}  // namespace factosim
