#pragma once

#include <variant>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Duration of a block of a data-parallel loop on a processing unit as a function of the work in it
/// (operations or another unit). Strictly increasing.
class CostCurve {
 public:
  /// startup + work / rate
  struct Linear {
    Seconds startup{0};
    double rate = 0;  // work per second
  };
  /// startup + work / (peak (1 - exp(-work / ramp))): an accelerator, slow on small blocks. It reaches 63 %
  /// of its peak at `ramp` and 95 % at 3 `ramp`.
  struct Saturating {
    Seconds startup{0};
    double peak = 0;  // work per second
    double ramp = 0;  // work
  };
  /// Piecewise linear between measured points, extrapolated at both ends, and >= 0.
  struct Samples {
    std::vector<double> work;      // strictly increasing, > 0; at least two
    std::vector<Seconds> seconds;  // strictly increasing, > 0
  };
  using Shape = std::variant<Linear, Saturating, Samples>;

  /// Throws std::invalid_argument with problem, reason and remedy if the shape is invalid: a speed of 0, a
  /// negative time, a duration that does not increase with the work.
  explicit CostCurve(Shape shape);

  /// Duration of a block with that work, > 0.
  [[nodiscard]] Seconds duration(double work) const;
  [[nodiscard]] Shape const& shape() const { return shape_; }

 private:
  Shape shape_;
};

}  // namespace factosim
