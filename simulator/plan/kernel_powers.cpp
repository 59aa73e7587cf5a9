#include "simulator/plan/kernel_powers.hpp"

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

void set_powers(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels) {
  if (node.power.kernels.empty() && node.gpu_caps.empty()) return;
  for (std::string const& kernel : kernels)
    for (std::size_t w = 0; w < type.workers.size(); ++w)
      type.busy_powers.push_back(!type.workers[w].gpu ? node.power.of_core(kernel)
                                 : node.gpu_caps.empty()
                                     ? node.power.of_gpu(kernel)
                                     : under_cap(node.power, kernel, node.gpu_caps[w]).busy_power);
}

void slow_down_capped(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels) {
  if (node.gpu_caps.empty()) return;
  std::size_t const workers = type.workers.size();
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t g = 0; g < type.gpus; ++g) {
      double const slowdown = under_cap(node.power, kernels[k], node.gpu_caps[g]).slowdown;
      std::size_t const i = k * workers + g;
      type.durations[i] *= slowdown;
      type.deviations[i] *= slowdown;
      for (auto* const samples : {&type.samples, &type.first_samples})
        if (i < samples->size())
          for (double& seconds : (*samples)[i]) seconds *= slowdown;
    }
}

}  // namespace factosim
