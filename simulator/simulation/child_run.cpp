#include "simulator/simulation/child_run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "factosim/error.hpp"
#include "simulator/os/process_pool.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

Seconds simulate_in_child(TaskPlan const& plan, NoiseOptions const& noise) {
  try {
    return {std::stod(
        run_in_child([&] { return fmt::format("{:a}", simulate_with_noise(plan, noise).makespan.value); }))};
  } catch (ChildFailure const& failure) {
    if (failure.failure().code != ExitCode::internal_error) throw;
    throw std::runtime_error(fmt::format("a replica failed: {}", failure.what()));
  }
}

}  // namespace factosim
