#include "simulator/tasks/plan/power_caps.hpp"

#include "simulator/base/core/interpolation.hpp"

namespace factosim {

CappedKernel under_cap(PowerSpec const& power, std::string const& kernel, double cap) {
  double const above_idle = power.of_gpu(kernel), drawn = power.gpu_idle + above_idle;
  if (drawn <= cap) return {.slowdown = 1, .busy_power = above_idle};
  double const in_proportion = cap * power.gpu_speeds.back().cap / drawn;
  double const speed = interpolated(
      power.gpu_speeds, in_proportion, [](auto const& p) { return p.cap; },
      [](auto const& p) { return p.speed; });
  return {.slowdown = 1 / speed, .busy_power = cap - power.gpu_idle};
}

}  // namespace factosim
