#pragma once

#include "factosim/platform.hpp"
#include "models/hpl_costs.hpp"
#include "simulator/experiments/hpl/hpl_problem.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/node/noise.hpp"

namespace factosim {

/// What is simulated of each step.
enum class HplDetail {
  steps,    // dates of each process, by recurrences; links are shared by fixed numbers of messages
  messages  // every message, on the engine's network
};

/// A scenario of the application "hpl", checked.
struct HplScenario {
  Platform platform;
  HplProblem problem;
  int processes_per_node = 1;
  HplCosts costs;
  HplDetail detail = HplDetail::steps;
  NoiseOptions noise;  // workers are processes
  NetworkOptions network;
};

}  // namespace factosim
