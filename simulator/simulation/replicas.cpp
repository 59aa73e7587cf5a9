#include "simulator/simulation/replicas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "simulator/core/sample.hpp"
#include "simulator/os/process_pool.hpp"
#include "simulator/simulation/result_assembly.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

namespace {

/// Returns the makespan with that seed. SimGrid keeps static state, so that each run needs its own process.
Seconds simulate_in_child(TaskPlan const& plan, std::uint64_t seed) {
  try {
    return {std::stod(run_in_child(
        [&] { return fmt::format("{:a}", simulate_with_seed(plan, seed, nullptr, {}).makespan.value); }))};
  } catch (ChildFailure const& failure) {
    if (failure.code() != ExitCode::internal_error) throw;
    throw std::runtime_error(fmt::format("a replica failed: {}", failure.what()));
  }
}

bool some_timing_varies(TaskPlan const& p) {
  return std::any_of(p.machine.type_of.begin(), p.machine.type_of.end(), [&](std::uint32_t type) {
    auto const& deviations = p.machine.types[type].deviations;
    return std::any_of(deviations.begin(), deviations.end(), [](double d) { return d > 0; });
  });
}

}  // namespace

std::vector<Seconds> simulate_further_replicas(TaskPlan const& plan, int count,
                                               std::function<void()> const& replica_done) {
  std::vector<Seconds> makespans;
  if (count > 1 && plan.scenario.network.model == NetworkModel::simgrid) preload_network_models();
  for (int i = 1; i < count; ++i) {
    std::uint64_t const seed = plan.scenario.seed + static_cast<std::uint64_t>(i);
    makespans.push_back(simulate_in_child(plan, seed));
    replica_done();
  }
  return makespans;
}

Replicas summarize_replicas(TaskPlan const& plan, Seconds first, std::vector<Seconds> const& further,
                            double interval) {
  std::vector<Seconds> makespans{first};
  makespans.insert(makespans.end(), further.begin(), further.end());
  Replicas out;
  std::vector<double> seconds, rates;
  for (Seconds const makespan : makespans) {
    out.seeds.push_back(plan.scenario.seed + out.seeds.size());
    seconds.push_back(makespan.value);
    rates.push_back(gflops(plan, makespan));
  }
  // Nothing is known of the error of deviations that the scenario states itself.
  bool const calibrated = plan.scenario.noise.distribution == NoiseDistribution::calibrated;
  RunDeviation of_runs = calibrated ? calibrated_run_deviation(plan.scenario) : RunDeviation{};
  of_runs.relative *= plan.scenario.noise.scale;
  out.interval = interval;
  out.makespan_s = spread_of(std::move(seconds), interval, of_runs);
  out.gflops = spread_of(std::move(rates), interval, of_runs);
  return out;
}

RunDeviation calibrated_run_deviation(ClusterOptions const& cluster) {
  RunDeviation out;
  for (std::uint32_t const type : cluster.platform.nodes) {
    auto const& variability = cluster.models[type].variability;
    if (!variability || variability->run_deviation.value_or(0) <= out.relative) continue;
    out = {.relative = *variability->run_deviation,
           .runs = variability->runs,
           .degrees_of_freedom = variability->degrees_of_freedom};
  }
  return out;
}

bool depends_on_seed(TaskPlan const& p) {
  PlacedScenario const& s = p.scenario;
  if (s.scheduler.type == "random" || s.noise.worker_speed_deviation > 0 || s.noise.run_speed_deviation > 0)
    return true;
  switch (s.noise.distribution) {
    case NoiseDistribution::none:
      return false;
    case NoiseDistribution::normal:
    case NoiseDistribution::lognormal:
      return s.noise.scale > 0 && some_timing_varies(p);
    case NoiseDistribution::empirical:
    case NoiseDistribution::calibrated:
      return s.noise.scale > 0;
  }
  return true;
}

}  // namespace factosim
