#pragma once

#include "factosim/platform.hpp"
#include "simulator/runtime/node/outcome.hpp"

namespace factosim {

/// Energy that one node, or several, consume from the start to the makespan.
struct Energy {
  Joules idle;                 // with every node on until the makespan
  Joules idle_with_power_off;  // with nodes powered off after their last task or message
  Joules busy;                 // kernels, above idle
  bool powered_off = false;    // any node is powered off before the makespan

  [[nodiscard]] Joules total() const { return idle + busy; }
  [[nodiscard]] Joules total_with_power_off() const { return idle_with_power_off + busy; }
};

/// Returns the time from the first to the last task of a node; 0 if it ran none.
[[nodiscard]] inline Seconds activity(SimulationOutcome::Node const& node) {
  return node.last_task - node.first_task;
}

/// Computes the energy of a node of that power. It is on from the start until its last kernel has ended and its last
/// message has arrived. Copies, messages and the runtime system cost only the idle power of the node.
Energy energy_of(SimulationOutcome::Node const& node, PowerSpec const& power, Seconds makespan);

Energy operator+(Energy const& a, Energy const& b);

}  // namespace factosim
