#include "simulator/runtime/node/energy.hpp"

#include <algorithm>

namespace factosim {

Energy energy_of(SimulationOutcome::Node const& node, PowerSpec const& power, Seconds makespan) {
  Seconds const on = std::min(makespan, std::max(node.last_task, node.last_send));
  Energy out;
  out.idle = Joules{power.idle * makespan.value};
  out.idle_with_power_off = Joules{power.idle * on.value + power.off * (makespan - on).value};
  out.busy = node.busy_energy;
  out.powered_off = on < makespan;
  return out;
}

Energy operator+(Energy const& a, Energy const& b) {
  return {a.idle + b.idle, a.idle_with_power_off + b.idle_with_power_off, a.busy + b.busy,
          a.powered_off || b.powered_off};
}

}  // namespace factosim
