#pragma once

#include <vector>

#include "simulator/balance/fitted_curve.hpp"

namespace factosim {

/// E(x) = F(x) + G(x) of one worker, kept true to what is measured. Sizes are fractions of all work.
class UnitModel final : public BlockTime {
 public:
  /// A block of that size took so long to compute and to transfer.
  void add(double size, double compute, double transfer);
  /// Fits again; to be called after `add` and before what follows.
  void refit();

  [[nodiscard]] bool is_known() const { return !compute_.empty(); }
  /// Whether two different sizes have been measured: a line can be drawn.
  [[nodiscard]] bool has_line() const { return largest_ > 1.5 * smallest_; }
  [[nodiscard]] double seconds(double size) const override {
    return curve_.seconds(size) + transfer_line_.seconds(size);
  }
  [[nodiscard]] double slope(double size) const override {
    return curve_.slope(size) + transfer_line_.slope();
  }
  [[nodiscard]] double smallest() const { return smallest_; }  // block ever measured
  [[nodiscard]] double largest() const { return largest_; }
  /// Mean relative error of what it foretold for blocks between sizes that it knew; newer ones count more.
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
