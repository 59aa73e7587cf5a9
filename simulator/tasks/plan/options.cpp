#include "simulator/tasks/plan/options.hpp"

#include <span>

namespace factosim {

RuntimeOptions on_grid(RuntimeOptions options, TimeGrid const& grid) {
  constexpr std::size_t per_MiB = 2;  // the last ones: products with them are rounded
  for (Seconds RuntimeOptions::*const cost : std::span(runtime_costs).first<runtime_costs.size() - per_MiB>())
    options.*cost = grid.duration(options.*cost);
  return options;
}

}  // namespace factosim
