#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "factosim/platform.hpp"
#include "models/unit_costs.hpp"
#include "simulator/balance/balancers.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/loops/data_parallel.hpp"
#include "simulator/scenario/network_keys.hpp"
#include "simulator/scenario/option_readers.hpp"
#include "simulator/scenario/study.hpp"

namespace factosim {

/// A scenario of a data-parallel loop, checked.
struct DataParallelScenario {
  Platform platform;
  UnitCosts costs;
  BalancerOptions balancer;
  DataParallelLoop loop;
  NetworkOptions network;
  bool has_events = false;  // loads, losses, joins: nobody could have known the optimum
  nlohmann::ordered_json effective_options;
};

/// Throws InputError: no work, no worker, a speed of 0, an unknown balancer, a negative time, ...
[[nodiscard]] DataParallelScenario read_data_parallel(JsonReader const& scenario, std::uint64_t seed);

/// `application/type` "data-parallel".
[[nodiscard]] std::unique_ptr<Study const> read_data_parallel_study(JsonReader const& scenario,
                                                                    std::uint64_t seed);

/// What became of it: what is written and told.
struct DataParallelResult {
  DataParallelScenario const& scenario;
  DataParallelOutcome outcome;
  StaticOptimum optimum;
  BalancerNotes notes;
};
[[nodiscard]] StudyOutcome study_outcome(DataParallelResult const& result, Topology const& topology,
                                         bool with_trace);

}  // namespace factosim
