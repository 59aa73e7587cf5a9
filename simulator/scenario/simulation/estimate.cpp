#include "simulator/scenario/simulation/estimate.hpp"

#include <utility>

#include "simulator/scenario/simulation/sampled_iterations.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/scenario/simulation/simulation_cost.hpp"

namespace factosim {

Result estimate_run(EstimatePlan const& plan, ProgressCallback const& progress) {
  TaskPlan const whole = plan_work(plan.scenario);
  TaskFigures figures = figures_of(whole);
  CostMeter const meter;  // as that of a simulation, whose bounds are not counted
  auto [makespan, detail] = estimate_by_samples(whole, figures.bounds, progress);
  std::uint64_t const simulated = detail.tasks_simulated;
  return estimated_result(whole, std::move(figures), makespan, std::move(detail), meter.cost(simulated));
}

}  // namespace factosim
