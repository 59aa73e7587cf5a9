#include "models/applications/runnable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "models/applications/application.hpp"

namespace factosim {

namespace {

/// The sizes of tiles for which all kernels of an application have a timing.
struct CommonSizes {
  std::optional<std::vector<int>> sizes{};  // sorted; none: no kernel was looked at
  std::string missing{};                    // the first kernel without any
};

CommonSizes common_sizes(Application const& app, Precision precision, KernelModel const& model) {
  CommonSizes out;
  for (Kernel const& kernel : app.kernels({.nt = 2, .nb = 1, .precision = precision})) {
    if (kernel.is_free) continue;
    std::vector<int> const measured =
        model.tile_sizes(timing_name(kernel), app.name, kernel.precision.value_or(precision));
    if (measured.empty() && out.missing.empty()) out.missing = timing_name(kernel);
    if (!out.sizes) out.sizes = measured;
    std::erase_if(*out.sizes, [&](int nb) { return !std::ranges::binary_search(measured, nb); });
  }
  return out;
}

}  // namespace

std::vector<std::string> runnable_applications(KernelModel const& model) {
  std::vector<std::string> lines{model.machine + " can run:"}, others;
  for (Application const& app : applications()) {
    std::vector<std::string> can;
    std::string missing;
    for (PrecisionInfo const& info : precisions) {
      CommonSizes const common = common_sizes(app, info.precision, model);
      if (missing.empty()) missing = common.missing;
      if (common.sizes && !common.sizes->empty())
        can.push_back(fmt::format("{} precision, tiles of {}", info.name, fmt::join(*common.sizes, ", ")));
    }
    if (!can.empty())
      lines.push_back(fmt::format("  {}: {}", app.name, fmt::join(can, "; ")));
    else
      others.push_back(fmt::format("{} ({})", app.name,
                                   missing.empty() ? "no common size of tiles" : "no timing of " + missing));
  }
  if (lines.size() == 1) lines.front() = model.machine + " can run no application";
  if (!others.empty()) lines.push_back(fmt::format("  not: {}", fmt::join(others, ", ")));
  return lines;
}

}  // namespace factosim
