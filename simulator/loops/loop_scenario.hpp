#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "factosim/platform.hpp"
#include "models/unit_costs.hpp"
#include "simulator/balance/balancers.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/loops/data_parallel.hpp"

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

}  // namespace factosim
