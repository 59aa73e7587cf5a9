#pragma once

#include <cstddef>
#include <vector>

namespace factosim {

/// A level over time, such as the tasks that are ready, and its averages over equal intervals. O(1) per
/// change, in any order of dates.
class TimeBins {
 public:
  /// `intervals` of them from 0 to `end_s`; both positive.
  TimeBins(double end_s, std::size_t intervals);

  /// The level is higher by `amount` between two dates, in seconds; what lies outside is cut off.
  void add(double from_s, double to_s, double amount);
  /// [intervals] time averages.
  [[nodiscard]] std::vector<float> averages() const;

 private:
  void change(double date_s, double amount);

  double end_, width_;
  std::vector<double> change_;  // [intervals] sum of the changes in each
  std::vector<double> area_;    // [intervals] what these add until the interval ends, times seconds
};

}  // namespace factosim
