#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "factosim/platform.hpp"
#include "models/unit_costs.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/experiment.hpp"
#include "simulator/experiments/loops/data_parallel.hpp"
#include "simulator/runtime/engine/network_factory.hpp"

namespace factosim {

/// A scenario of a data-parallel loop, checked.
struct DataParallelScenario {
  Platform platform;
  UnitCosts costs;
  BalancerOptions balancer;
  std::string kernel;
  DataParallelLoop loop;
  NetworkOptions network;
  /// Loads, losses and joins as they were given. With events the optimum is not known.
  nlohmann::ordered_json events = nlohmann::ordered_json::array();

  [[nodiscard]] bool has_events() const { return !events.empty(); }
};

/// Simulates the loop. Throws InfeasibleError if all workers are lost before its end. At most one simulation
/// over SimGrid in a process.
[[nodiscard]] ExperimentResult simulate_data_parallel(DataParallelScenario const& scenario, bool with_trace);

}  // namespace factosim
