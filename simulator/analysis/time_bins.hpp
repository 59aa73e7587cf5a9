#pragma once

#include <cstddef>
#include <vector>

namespace factosim {

/// Averages of a level over time, such as the number of ready tasks, over equal intervals. O(1) per change,
/// in any order of dates.
class TimeBins {
 public:
  /// `intervals` equal intervals from 0 to `end_s`; both must be positive.
  TimeBins(double end_s, std::size_t intervals);

  /// Raises the level by `amount` between two dates, in seconds, clamped to the range.
  void add(double from_s, double to_s, double amount);
  /// Returns the time averages. [intervals]
  [[nodiscard]] std::vector<float> averages() const;

 private:
  void change(double date_s, double amount);

  double end_, width_;
  std::vector<double> change_;  // [intervals] sum of the changes in each
  std::vector<double> area_;    // [intervals] contribution of these changes to the integral over the interval
};

}  // namespace factosim
