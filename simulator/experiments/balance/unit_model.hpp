#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simulator/experiments/balance/fitted_curve.hpp"

namespace factosim {

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
