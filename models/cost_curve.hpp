#pragma once

#include <variant>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// How long a processing unit computes on one block of a data-parallel loop, by the amount of work in it (in
/// operations, or whatever else the work is counted in). Strictly increasing.
class CostCurve {
 public:
  /// startup + work / rate
  struct Linear {
    Seconds startup{0};
    double rate = 0;  // work per second
  };
  /// startup + work / (peak (1 - exp(-work / ramp))): an accelerator, slow on blocks that do not fill it. It
  /// reaches 63 % of its peak at `ramp` and 95 % at three times that.
  struct Saturating {
    Seconds startup{0};
    double peak = 0;  // work per second
    double ramp = 0;  // work
  };
  /// Straight lines between measured points, extended beyond both ends, and not below zero.
  struct Samples {
    std::vector<double> work;      // strictly increasing, > 0; at least two
    std::vector<Seconds> seconds;  // strictly increasing, > 0
  };
  using Shape = std::variant<Linear, Saturating, Samples>;

  /// Throws std::invalid_argument, with the problem, its reason and the remedy, where the shape is no curve:
  /// a speed of 0, a negative time, a duration that does not grow with the work.
  explicit CostCurve(Shape shape);

  /// Of a block of that much work, > 0.
  [[nodiscard]] Seconds duration(double work) const;
  [[nodiscard]] Shape const& shape() const { return shape_; }

 private:
  Shape shape_;
};

}  // namespace factosim
