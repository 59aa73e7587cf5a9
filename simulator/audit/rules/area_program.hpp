#pragma once

#include <vector>

namespace factosim::audit {

/// Workers with the same durations.
struct AreaClass {
  double count = 0;
  std::vector<double> durations;  // [kernels] seconds; infinite: cannot run it
};

/// Proven bounds of an optimum.
struct AreaInterval {
  double low = 0, high = 0;  // seconds
};

/// The least time in which the classes can execute the tasks of each kernel, cut at will: prices of the classes' time
/// prove the lower end (weak duality), a division of the tasks the upper end. Both come from one run of the simplex
/// method, which is repeated in arithmetic of 100 decimal digits if they differ by more than 10⁻¹².
[[nodiscard]] AreaInterval least_time(std::vector<double> const& tasks,
                                      std::vector<AreaClass> const& classes);

}  // namespace factosim::audit
