#include "simulator/tasks/plan/options.hpp"

#include <span>

namespace factosim {

RuntimeOptions on_grid(RuntimeOptions options, TimeGrid const& grid) {
  constexpr std::size_t per_MiB = 2;  // the last ones: products with them are rounded
  for (Seconds RuntimeOptions::*const cost : std::span(runtime_costs).first<runtime_costs.size() - per_MiB>())
    options.*cost = grid.duration(options.*cost);
  return options;
}

RuntimeOptions with_version(RuntimeOptions options, RuntimeVersion version) {
  options.version = version;
  for (VersionedSwitch const& versioned : versioned_switches)
    options.*versioned.option = version == RuntimeVersion::v1_4 ? versioned.v1_4 : versioned.v1_5;
  return options;
}

}  // namespace factosim
