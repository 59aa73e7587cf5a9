#pragma once

#include <vector>

namespace factosim {

/// How kernels in flight share a GPU: each has the part that it uses alone, but those that use most have equal parts of what
/// the others leave (max-min fair parts).
class GpuLevel {
 public:
  GpuLevel() = default;
  /// `parts`: what each uses alone, above 0 and at most 1; they are sorted. O(n log n).
  explicit GpuLevel(std::vector<double>& parts);

  /// Returns the factor of the duration of a kernel that uses that part alone.
  [[nodiscard]] double slowdown(double part) const {
    return limited_ > 0 && part * limited_ > left_ ? part * limited_ / left_ : 1;
  }
  /// Returns the sum of the parts that the kernels have.
  [[nodiscard]] double used() const { return limited_ > 0 ? 1 : 1 - left_; }

 private:
  double left_ = 1;     // by the kernels that have what they use alone
  double limited_ = 0;  // the other kernels
};

}  // namespace factosim
