#include "simulator/experiments/balance/unit_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

namespace {

// A worker whose block takes longer or shorter than predicted by this factor has changed its speed.
constexpr double changed_speed = 1.25;
constexpr std::size_t trusted_from = 4;    // measurements
constexpr std::size_t max_kept = 24;       // maximum number of measurements
constexpr double weight_of_newest = 0.25;  // for the mean error

}  // namespace

/// A competing load scales all times: the shape of the curve stays, and its scale becomes that of the newest
/// block.
void UnitModel::judge(double size, double compute) {
  if (compute_.size() < trusted_from || size < 0.9 * curve_.smallest() || size > 1.1 * curve_.largest())
    return;
  double const ratio = compute / curve_.seconds(size);
  error_ += weight_of_newest * (std::min(std::abs(ratio - 1), 1.0) - error_);
  if (ratio < changed_speed && ratio > 1 / changed_speed) return;
  for (Measurement& m : compute_) m.seconds *= ratio;
}

/// Returns the older one of the two measurements that are closest in size: the range of sizes stays.
void UnitModel::forget_one() {
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

void UnitModel::add(double size, double compute, double transfer) {
  judge(size, compute);
  smallest_ = is_known() ? std::min(smallest_, size) : size;
  largest_ = std::max(largest_, size);
  compute_.push_back({size, compute});
  transfer_.push_back({size, transfer});
  if (compute_.size() > max_kept) forget_one();
}

void UnitModel::refit() {
  curve_ = FittedCurve::fit(compute_);
  transfer_line_ = LinearTransfer::fit(transfer_);
}

}  // namespace factosim
