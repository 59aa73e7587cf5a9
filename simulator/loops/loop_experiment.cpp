#include "simulator/loops/loop_experiment.hpp"

#include <utility>

#include "simulator/loops/loop_result.hpp"

namespace factosim {

ExperimentResult simulate_data_parallel(DataParallelScenario const& s, bool with_trace) {
  Topology const topology(s.platform);
  StaticOptimum optimum = static_optimum(undisturbed_times(s.loop, topology), s.loop.cost.chunks);
  auto const balancer = make_balancer(s.balancer, s.loop.units.size(), s.loop.cost.chunks, optimum);
  DataParallelOutcome outcome = simulate_loop(s.loop, *balancer, topology, make_network(s.network, topology));
  return result_of_loop({s, std::move(outcome), std::move(optimum), balancer->notes()}, topology, with_trace);
}

}  // namespace factosim
