
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "factosim/error.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

int simulations_at_once(TaskPlan const& plan, int wanted) {
  std::int64_t const available = available_memory_bytes();
  double const fitting =
      static_cast<double>(available) / MemoryBudget(available).guess(static_cast<double>(plan.task_count()));
  return std::max(1, static_cast<int>(std::min<double>(jobs_or_cores(wanted), fitting)));
}

}  // namespace

std::vector<Seconds> simulate_in_children(TaskPlan const& plan, std::span<NoiseOptions const> noises,
                                          int jobs, std::function<void()> const& done) {
  if (noises.empty()) return {};
  if (plan.scenario.network.model == NetworkModel::simgrid) preload_network_models();
  std::vector<ChildWork> work;
  for (NoiseOptions const& noise : noises)
    work.emplace_back(
        [&plan, &noise] { return fmt::format("{:a}", simulate_with_noise(plan, noise).makespan.value); });
  std::function<void(std::string const&)> ended;
  if (done) ended = [&done](std::string const& /*answer*/) { done(); };
  try {
    std::vector<Seconds> makespans;
    for (std::string const& answer : run_in_children(work, simulations_at_once(plan, jobs), ended))
      makespans.push_back({std::stod(answer)});
    return makespans;
  } catch (ChildFailure const& failure) {
    if (failure.failure().code != ExitCode::internal_error) throw;
    throw std::runtime_error(fmt::format("a replica failed: {}", failure.what()));
  }
}

}  // namespace factosim
