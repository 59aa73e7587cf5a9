#include "models/applications/cycle_time.hpp"

#include <fmt/format.h>

#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

KernelModel cycle_time_model(std::string const& machine, Seconds cycle_time, std::span<Kernel const> kernels,
                             ApplicationParameters const& p) {
  FACTOSIM_EXPECT(cycle_time.value > 0, "a cycle-time above 0");
  KernelModel model{
      .machine = machine,
      .provenance = fmt::format("Not measured: one tile update takes {} s, by \"cycle_time_s\" of "
                                "the platform, and other kernels what they count at that rate.",
                                cycle_time.value),
      .estimate = true,
      .file = {},
      .timings = {}};
  double const rate = 2 * std::pow(p.nb, 3) / cycle_time.value;
  for (Kernel const& kernel : kernels)
    model.timings.push_back({.kernel = timing_name(kernel),
                             .precision = kernel.precision.value_or(p.precision),
                             .worker = "cpu",
                             .rate = {.flops_per_second = rate}});
  return model;
}

}  // namespace factosim
