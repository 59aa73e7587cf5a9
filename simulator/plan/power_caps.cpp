#include "simulator/plan/power_caps.hpp"

#include <algorithm>

namespace factosim {

namespace {

/// Returns the speed under that cap, linear between the points.
double speed_at(std::vector<PowerSpec::CappedSpeed> const& points, double cap) {
  auto const after = std::ranges::find_if(points, [&](auto const& p) { return p.cap >= cap; });
  if (after == points.end()) return 1;
  if (after == points.begin()) return after->speed;
  auto const &a = *(after - 1), &b = *after;
  return a.speed + (b.speed - a.speed) * (cap - a.cap) / (b.cap - a.cap);
}

}  // namespace

CappedKernel under_cap(PowerSpec const& power, std::string const& kernel, double cap) {
  double const above_idle = power.of_gpu(kernel), drawn = power.gpu_idle + above_idle;
  if (drawn <= cap) return {.slowdown = 1, .busy_power = above_idle};
  double const in_proportion = cap * power.gpu_speeds.back().cap / drawn;
  return {.slowdown = 1 / speed_at(power.gpu_speeds, in_proportion),
          .busy_power = std::max(0.0, cap - power.gpu_idle)};
}

}  // namespace factosim
