#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/experiments/balance/block_time.hpp"

namespace factosim {

/// One worker of the system: it starts its block at `free_at`.
struct EqualTimeWorker {
  BlockTime const* time = nullptr;
  double free_at = 0;  // seconds, from any origin
};

struct EqualTimeSolution {
  std::vector<double> size;  // [workers]; 0: it could not end even the smallest block in time
  double end = 0;            // seconds: the common end of all blocks
  double residual = 0;       // largest relative violation of an equation
  bool by_ipopt = false;     // else by bracketing
};

/// Splits work among workers so that all end at the same time:
///     free_p + E_p(x_p) = T for all p with a block,     x_1 + ... + x_n = work.
/// With all workers free at 0, this is equation (1) of the PLB-HAC slides. As there, Ipopt solves it by an
/// interior-point method with a line-search filter (Wächter and Biegler, Mathematical Programming 106(1), 2006).
/// If Ipopt fails or its residual exceeds `tolerance`, T is bracketed instead. Both cases are counted.
class EqualTimeSolver {
 public:
  static constexpr double tolerance = 1e-6;

  /// `work` > 0, at least one worker.
  [[nodiscard]] EqualTimeSolution solve(std::span<EqualTimeWorker const> workers, double work);

  [[nodiscard]] std::uint32_t solved_by_ipopt() const { return by_ipopt_; }
  [[nodiscard]] std::uint32_t solved_by_bracketing() const { return by_bracketing_; }
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

 private:
  std::uint32_t by_ipopt_ = 0, by_bracketing_ = 0;
  double largest_residual_ = 0;
};

/// Solves the system by bracketing T.
[[nodiscard]] EqualTimeSolution equal_time_by_bracketing(std::span<EqualTimeWorker const> workers,
                                                         double work);

/// Returns the largest relative violation of the equations by these sizes and that end.
[[nodiscard]] double equal_time_residual(std::span<EqualTimeWorker const> workers, double work,
                                         std::span<double const> size, double end);

}  // namespace factosim
