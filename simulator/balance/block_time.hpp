#pragma once

namespace factosim {

/// The duration of a block on one worker as a function of its size, in any unit. Increasing and continuous for
/// sizes >= 0.
class BlockTime {
 public:
  virtual ~BlockTime() = default;
  [[nodiscard]] virtual double seconds(double size) const = 0;
  /// Returns the derivative of `seconds`, which is positive.
  [[nodiscard]] virtual double slope(double size) const = 0;
  /// Returns the size that takes that long, or 0 if all sizes take longer.
  [[nodiscard]] virtual double size_within(double seconds) const;
};

}  // namespace factosim
