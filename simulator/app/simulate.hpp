#pragma once

#include "simulator/app/prepared.hpp"
#include "simulator/app/scenario.hpp"
#include "simulator/report/result.hpp"
#include "simulator/runtime/cluster.hpp"
#include "simulator/trace/records.hpp"

namespace factosim {

/// Simulates a scenario. `trace` may be null. At most one simulation over SimGrid in a process.
/// With contracts on, throws ContractError where the makespan beats a bound.
Result simulate(Scenario const& scenario, PreparedScenario const& prepared, TraceRecords* trace,
                ProgressCallback progress);

/// What a result records of how it came about: versions, options in force, where the timings come from.
nlohmann::ordered_json provenance(Scenario const& scenario);

/// Processor time of this process so far, in seconds.
double process_cpu_seconds();

}  // namespace factosim
