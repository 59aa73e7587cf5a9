#include "simulator/analysis/time_bins.hpp"

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

TimeBins::TimeBins(double end_s, std::size_t intervals)
    : end_(end_s),
      width_(end_s / static_cast<double>(intervals)),
      change_(intervals, 0),
      area_(intervals, 0) {
  FACTOSIM_EXPECT(end_s > 0 && intervals > 0, "there is time to cut");
}

void TimeBins::change(double date_s, double amount) {
  auto const i = std::min(change_.size() - 1, static_cast<std::size_t>(date_s / width_));
  change_[i] += amount;
  area_[i] += amount * (static_cast<double>(i + 1) * width_ - date_s);
}

void TimeBins::add(double from_s, double to_s, double amount) {
  double const from = std::clamp(from_s, 0.0, end_), to = std::clamp(to_s, 0.0, end_);
  if (!(to > from)) return;  // nothing of it, or an unknown date
  change(from, amount);
  change(to, -amount);
}

std::vector<float> TimeBins::averages() const {
  std::vector<float> out;
  out.reserve(area_.size());
  double before = 0, maximum = 0;
  for (std::size_t i = 0; i < area_.size(); ++i) {
    double const average = before + area_[i] / width_;
    before += change_[i];
    maximum = std::max(maximum, average);
    // A sum that should be 0 may differ by rounding.
    out.push_back(average > 1e-9 * maximum ? static_cast<float>(average) : 0.0F);
  }
  return out;
}

}  // namespace factosim
