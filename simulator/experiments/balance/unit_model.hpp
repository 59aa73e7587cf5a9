#pragma once

#include <vector>

#include "simulator/experiments/balance/fitted_curve.hpp"

namespace factosim {

/// E(x) = F(x) + G(x) of one worker, fitted to its measurements. Sizes are fractions of all work.
class UnitModel final : public BlockTime {
 public:
  /// Adds a block of that size with its times of computing and transferring.
  void add(double size, double compute, double transfer);
  /// Fits again. To be called after `add` and before the functions below.
  void refit();

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
  void judge(double size, double compute);
  void forget_one();

  std::vector<Measurement> compute_, transfer_;  // in the order of time
  FittedCurve curve_;
  LinearTransfer transfer_line_;
  double smallest_ = 0, largest_ = 0;
  double error_ = 0.05;
};

}  // namespace factosim
