#include "simulator/tasks/plan/gpu_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/device_peaks.hpp"

namespace factosim {

namespace {

using GpuArithmetic = std::pair<std::string, Precision>;  // name of the GPU in kernel models

/// Returns the best rates in the kernel file: of a rate, the one of large tiles.
std::map<GpuArithmetic, double> best_rates(KernelModel const& model) {
  std::map<GpuArithmetic, double> best;
  for (KernelTiming const& t : model.timings) {
    double const flops = nominal_flops(t.kernel, std::max(t.nb, 1));
    if (flops == 0 || (t.nb > 0 && t.mean.value == 0)) continue;
    double& rate = best[{t.worker, t.precision}];
    rate = std::max(rate, t.nb > 0 ? flops / t.mean.value : t.rate.flops_per_second);
  }
  return best;
}

}  // namespace

std::vector<double> gpu_parts(KernelModel const& model, std::span<Kernel const> kernels, Precision precision,
                              std::span<double const> durations, std::span<std::string const> gpus) {
  std::size_t const workers = durations.size() / std::max<std::size_t>(kernels.size(), 1);
  std::map<GpuArithmetic, double> best = best_rates(model);
  auto const best_for = [&](std::size_t k, std::size_t w) -> double& {
    return best[{gpus[w], kernels[k].precision.value_or(precision)}];
  };
  auto const rate = [&](std::size_t k, std::size_t w) {
    double const duration = durations[k * workers + w];
    bool const tells = !kernels[k].memory_bound && std::isfinite(duration) && duration > 0;
    return tells ? kernels[k].flops.value / duration : 0;
  };
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < gpus.size(); ++w) best_for(k, w) = std::max(best_for(k, w), rate(k, w));
  std::vector<double> parts(durations.size(), 1);
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < gpus.size(); ++w)
      if (rate(k, w) > 0) parts[k * workers + w] = rate(k, w) / best_for(k, w);
  return parts;
}

}  // namespace factosim
