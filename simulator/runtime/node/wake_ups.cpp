#include "simulator/runtime/node/wake_ups.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

void WakeUps::task_assigned(Scheduler::Assignment const& assignment, std::span<double const> durations) {
  switch (assignment.to) {
    case Scheduler::Assignment::To::worker:
      drivers_[assignment.worker.index()].wake();
      break;
    case Scheduler::Assignment::To::all_workers:
      for (Driver& driver : drivers_) driver.wake();
      break;
    case Scheduler::Assignment::To::first_idle:
      for (std::size_t w = 0; w < drivers_.size(); ++w)
        if (!std::isinf(durations[w]) && drivers_[w].wake()) return;
      break;
    case Scheduler::Assignment::To::idle_of_memories:
      wake_by_memory();
      break;
  }
}

void WakeUps::memory_changed(LocalMemory memory) {
  if (memory.index() >= type_.rams) return signal(memory, Then::stay_awake);
  for (std::size_t w = drivers_.size(); w-- > 0;)
    if (drivers_[w].waits() && drivers_[w].drives(memory)) return drivers_[w].signal();
  for (Driver& driver : drivers_)
    if (driver.drives(memory)) driver.signal();
}

/// Source: StarPU 1.5 `component_sched.c` (starpu_sched_component_can_pull), `component_eager.c`: RAM is first.
void WakeUps::wake_by_memory() {
  std::size_t const gpus = type_.gpus;
  bool woken = false;
  for (std::size_t w = gpus; w < drivers_.size(); ++w) woken = drivers_[w].wake();
  if (woken && drivers_.size() == gpus + 1) return;
  for (std::size_t w = 0; w < gpus; ++w)
    if (drivers_[w].wake()) return;
}

void WakeUps::signal(LocalMemory memory, Then then) {
  if (memory.index() >= type_.rams) {
    std::size_t const first = (memory.index() - type_.rams) * type_.workers_per_gpu;
    for (std::size_t w = first; w < first + type_.workers_per_gpu; ++w) {
      if (then == Then::stay_awake) drivers_[w].keep_awake();
      drivers_[w].signal();
    }
    return;
  }
  if (!scheduler_.shares_tasks()) return;
  for (std::size_t w = 0; w < drivers_.size(); ++w) {
    if (!type_.workers[w].gpu && type_.workers[w].memory != memory) continue;
    if (then == Then::stay_awake) drivers_[w].keep_awake();
    if (drivers_[w].asleep_or_active()) drivers_[w].signal();
  }
}

/// Wakes one driver. Cores come before GPUs: their rounds are shorter.
void WakeUps::buffer_requested() {
  for (std::size_t w = drivers_.size(); w-- > 0;)
    if (drivers_[w].waits() && drivers_[w].drives_first_ram()) return drivers_[w].signal();
}

}  // namespace factosim
