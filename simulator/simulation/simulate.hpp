#pragma once

#include "factosim/result.hpp"
#include "simulator/runtime/cluster.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/simulation/prepared.hpp"
#include "simulator/trace/records.hpp"
#include "simulator/trace/series.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What happens in a scenario with another seed. `trace` and `series` may be null. At most one simulation
/// over SimGrid in a process.
SimulationOutcome simulate_with_seed(Scenario const& scenario, PreparedScenario const& prepared,
                                     std::uint64_t seed, TraceRecords* trace, ProgressCallback progress,
                                     Series* series = nullptr);

/// Returns the result of a simulation but its cost, GFlop/s and provenance.
[[nodiscard]] Result result_of(Scenario const& scenario, PreparedScenario const& prepared,
                               SimulationOutcome const& outcome);

/// Simulates a scenario with its own seed and tells all about it.
/// With contracts on, throws ContractError where the makespan beats a bound; not with noise, since bounds are
/// those of the mean durations.
Result simulate(Scenario const& scenario, PreparedScenario const& prepared, TraceRecords* trace,
                ProgressCallback progress, Series* series = nullptr);

/// What one simulation recorded, as a trace like any other.
Trace run_trace(Scenario const& scenario, PreparedScenario const& prepared, TraceRecords const& records);

/// The rate, in GFlop/s, at which the scenario's factorization is done in that time.
double gflops(Scenario const& scenario, Seconds makespan);

/// What a result records of how it came about: versions, options in force, where the timings come from.
nlohmann::ordered_json provenance(Scenario const& scenario);
/// The part of it that every simulation has.
nlohmann::ordered_json provenance(std::string const& file, std::vector<std::string> const& settings,
                                  std::uint64_t seed);

}  // namespace factosim
