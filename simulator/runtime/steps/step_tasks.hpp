#pragma once

#include <array>
#include <cstdint>

#include "simulator/runtime/steps/step_problem.hpp"
#include "simulator/runtime/steps/step_tiles.hpp"

namespace factosim {

/// The task of each tile in each step: its kernel, priority and place in the order of submission.
class StepTasks {
 public:
  explicit StepTasks(StepProblem const& problem);

  [[nodiscard]] static StepTile tile(std::uint32_t m, std::uint32_t n) {
    return {static_cast<std::uint16_t>(m), static_cast<std::uint16_t>(n)};
  }
  /// Whether only the lower triangle is stored.
  [[nodiscard]] bool is_symmetric() const { return symmetric_; }
  [[nodiscard]] std::int32_t priority(StepTile tile, std::uint32_t k) const {
    return p_.policy_knows_priorities ? task(tile, k).priority : 0;
  }
  [[nodiscard]] std::uint64_t position(StepTile tile, std::uint32_t k) const {
    return task(tile, k).position;
  }
  /// Kernel of the tile's last task.
  [[nodiscard]] std::uint16_t panel_kernel(StepTile t) const {
    return panel_kernel_[t.m == t.n ? 0 : t.m > t.n ? 1 : 2];
  }
  /// Kernel of the tile's other tasks.
  [[nodiscard]] std::uint16_t update_kernel(bool on_diagonal) const {
    return update_kernel_[on_diagonal ? 1 : 0];
  }

 private:
  [[nodiscard]] FormulaTask task(StepTile t, std::uint32_t k) const {
    return p_.formulas.task(p_.formulas.updated_tile(t.m, t.n), k);
  }

  StepProblem const& p_;
  bool symmetric_;
  std::array<std::uint16_t, 2> update_kernel_{};  // of other tiles, of diagonal ones
  std::array<std::uint16_t, 3> panel_kernel_{};   // diagonal, below, above
};

}  // namespace factosim
