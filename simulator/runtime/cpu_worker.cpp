// The half of NodeRuntime that a CPU worker runs: pop, fetch one operand after the other, run, release.

#include <utility>

#include "simulator/runtime/node_runtime.hpp"

namespace factosim {

void NodeRuntime::run_cpu(std::uint32_t worker) {
  CpuWorker& c = cpu(worker);
  if (c.pushing || c.task.valid()) return;
  while (true) {
    if (double const cost = release_time(c.releases); cost > 0) {
      c.pushing = true;
      return after(cost, EventKind::worker_continues, worker);
    }
    if (!c.releases.pending()) break;
    push_next(c.releases);  // pushes that cost nothing
  }
  c.task = pop(worker);
  if (!c.task.valid()) return;
  c.next_operand = 0;
  fetch_for_cpu(worker);
}

void NodeRuntime::fetch_for_cpu(std::uint32_t worker) {
  CpuWorker& c = cpu(worker);
  auto const replicas = replicas_of(c.task);
  if (data_) {
    auto const accesses = inputs_.graph.accesses_of(c.task);
    while (c.next_operand < replicas.size()) {
      std::size_t const i = c.next_operand++;
      if (!data_->fetch(c.task, local(replicas[i]), 0, accesses[i].mode(), request_priority(c.task),
                        {Waiter::Kind::worker, worker}))
        return;
    }
  }
  scheduler_->started(worker, c.task);
  double const fetched = inputs_.options.fetch_cost.value * static_cast<double>(replicas.size());
  c.kernel_start = engine_.now() + Seconds{fetched};
  after(fetched + duration(c.task, worker), EventKind::kernel_ends, worker);
}

void NodeRuntime::cpu_kernel_ends(std::uint32_t worker) {
  CpuWorker& c = cpu(worker);
  TaskId const task = std::exchange(c.task, TaskId{});
  release(task, worker, c.kernel_start, engine_.now(), c.releases);
  run_cpu(worker);
}

}  // namespace factosim
