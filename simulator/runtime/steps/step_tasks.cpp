#include "simulator/runtime/steps/step_tasks.hpp"

namespace factosim {

StepTasks::StepTasks(StepProblem const& p) : p_(p), symmetric_(!p.formulas.updated_tile(0, 1).valid()) {
  panel_kernel_[0] = task(tile(0, 0), 0).kernel;
  if (p.map.nt < 2) return;
  panel_kernel_[1] = task(tile(1, 0), 0).kernel;
  if (!symmetric_) panel_kernel_[2] = task(tile(0, 1), 0).kernel;
  update_kernel_[1] = task(tile(1, 1), 0).kernel;
  if (p.map.nt > 2) update_kernel_[0] = task(tile(2, 1), 0).kernel;
}

}  // namespace factosim
