#include "simulator/bounds/rounded_bounds.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

bool uses_gpu_parts(Machine const& machine) {
  return std::ranges::any_of(machine.types, [](Machine::Type const& t) { return !t.gpu_parts.empty(); });
}

void subtract_rounding(Bounds& bounds, std::uint64_t tasks, Seconds tick) {
  auto const count = static_cast<double>(tasks);
  double const share = 4 * (count + 4) * std::numeric_limits<double>::epsilon();
  auto const reduce = [&](Seconds& bound) {
    bound = Seconds{std::max(0.0, bound.value * (1 - share) - count * tick.value)};
  };
  for (Seconds* const bound : {&bounds.abe, &bounds.problem_path, &bounds.problem_area_and_path,
                               &bounds.critical_path, &bounds.critical_path_with_comm, &bounds.load_and_path})
    reduce(*bound);
  for (Seconds& bound : bounds.abe_per_node) reduce(bound);
}

}  // namespace factosim
