#include "simulator/plan/gpu_parts.hpp"

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

void set_gpu_parts(Machine::Type& type, KernelModel const& model, std::span<Kernel const> kernels,
                   TimingKey const& key) {
  std::size_t const workers = type.workers.size();
  std::map<GpuArithmetic, double> best = best_rates(model);
  auto const best_for = [&](std::size_t k, std::size_t w) -> double& {
    return best[{type.timing_name(w), kernels[k].precision.value_or(key.precision)}];
  };
  auto const rate = [&](std::size_t k, std::size_t w) {
    double const duration = type.durations[k * workers + w];
    bool const tells = !kernels[k].memory_bound && std::isfinite(duration) && duration > 0;
    return tells ? kernels[k].flops.value / duration : 0;
  };
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < type.gpus; ++w) best_for(k, w) = std::max(best_for(k, w), rate(k, w));
  type.gpu_parts.assign(kernels.size() * workers, 1);
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < type.gpus; ++w)
      if (rate(k, w) > 0) type.gpu_parts[k * workers + w] = rate(k, w) / best_for(k, w);
}

}  // namespace factosim
