#include "simulator/steps/step_scheduler.hpp"

#include "simulator/steps/central_steps.hpp"
#include "simulator/steps/queued_steps.hpp"

namespace factosim {

std::unique_ptr<StepScheduler> make_step_scheduler(StepProblem const& p, StepGroups& groups) {
  if (p.workers_have_queues) return std::make_unique<QueuedSteps>(p, groups);
  return std::make_unique<CentralSteps>(p, groups);
}

}  // namespace factosim
