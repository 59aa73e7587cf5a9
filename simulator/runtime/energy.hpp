#pragma once

#include "factosim/platform.hpp"
#include "simulator/plan/machine.hpp"
#include "simulator/runtime/outcome.hpp"

namespace factosim {

/// What a node, or several, draw from the start to the makespan.
struct Energy {
  Joules idle;                 // with every node on until the makespan
  Joules idle_with_power_off;  // with nodes off after their last task or message, and what they then draw
  Joules busy;                 // kernels, above idle
  bool powered_off = false;    // some node is off before the makespan

  [[nodiscard]] Joules total() const { return idle + busy; }
  [[nodiscard]] Joules total_with_power_off() const { return idle_with_power_off + busy; }
};

/// From the first to the last task of a node; 0 where it ran none.
[[nodiscard]] inline Seconds activity(SimulationOutcome::Node const& node) {
  return node.last_task - node.first_task;
}

/// A node is on from the start until its last kernel has ended and its last message has arrived. GPUs, cores
/// and the node are charged what `power` says; copies, messages and the runtime itself only cost the node's
/// idle power. `power` is that of the machine's type.
Energy energy_of(SimulationOutcome::Node const& node, Machine::Type const& type, PowerSpec const& power,
                 Seconds makespan);

Energy operator+(Energy const& a, Energy const& b);

}  // namespace factosim
