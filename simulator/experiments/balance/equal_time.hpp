#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simulator/experiments/balance/block_time.hpp"
#include "simulator/experiments/balance/fitted_curve.hpp"

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

/// E(x) = F(x) + G(x) of one worker, fitted to its measurements. Sizes are fractions of all work.
class UnitModel final : public BlockTime {
 public:
  /// Adds a block of that size with its times of computing and transferring.
  void add(double size, double compute, double transfer) {
    judge(size, compute);
    smallest_ = is_known() ? std::min(smallest_, size) : size;
    largest_ = std::max(largest_, size);
    compute_.push_back({size, compute});
    transfer_.push_back({size, transfer});
    if (compute_.size() > max_kept) forget_one();
  }
  /// Fits again. To be called after `add` and before the functions below.
  void refit() {
    curve_ = FittedCurve::fit(compute_);
    transfer_line_ = LinearTransfer::fit(transfer_);
  }

  [[nodiscard]] bool is_known() const { return !compute_.empty(); }
  /// Returns true if two different sizes have been measured, which define a line.
  [[nodiscard]] bool has_line() const { return largest_ > 1.5 * smallest_; }
  [[nodiscard]] double seconds(double size) const override {
    return curve_.seconds(size) + transfer_line_.seconds(size);
  }
  [[nodiscard]] double slope(double size) const override {
    return curve_.slope(size) + transfer_line_.slope();
  }
  [[nodiscard]] double smallest() const { return smallest_; }  // smallest measured block
  [[nodiscard]] double largest() const { return largest_; }
  /// Returns the mean relative error of predictions between measured sizes, weighted towards newer blocks.
  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] FittedCurve const& curve() const { return curve_; }

 private:
  // A worker whose block takes longer or shorter than predicted by this factor has changed its speed.
  static constexpr double changed_speed = 1.25;
  static constexpr std::size_t trusted_from = 4;    // measurements
  static constexpr std::size_t max_kept = 24;       // maximum number of measurements
  static constexpr double weight_of_newest = 0.25;  // for the mean error

  /// A competing load scales all times: the shape of the curve stays, and its scale becomes that of the newest
  /// block.
  void judge(double size, double compute) {
    if (compute_.size() < trusted_from || size < 0.9 * curve_.smallest() || size > 1.1 * curve_.largest())
      return;
    double const ratio = compute / curve_.seconds(size);
    error_ += weight_of_newest * (std::min(std::abs(ratio - 1), 1.0) - error_);
    if (ratio < changed_speed && ratio > 1 / changed_speed) return;
    for (Measurement& m : compute_) m.seconds *= ratio;
  }
  /// Returns the older one of the two measurements that are closest in size: the range of sizes stays.
  void forget_one() {
    std::size_t victim = 0;
    double minimum = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < compute_.size(); ++i)
      for (std::size_t j = i + 1; j < compute_.size(); ++j) {
        double const distance = std::abs(std::log(compute_[i].size / compute_[j].size));
        if (distance < minimum) minimum = distance, victim = i;
      }
    compute_.erase(compute_.begin() + static_cast<std::ptrdiff_t>(victim));
    transfer_.erase(transfer_.begin() + static_cast<std::ptrdiff_t>(victim));
  }

  std::vector<Measurement> compute_, transfer_;  // in the order of time
  FittedCurve curve_;
  LinearTransfer transfer_line_;
  double smallest_ = 0, largest_ = 0;
  double error_ = 0.05;
};

}  // namespace factosim
