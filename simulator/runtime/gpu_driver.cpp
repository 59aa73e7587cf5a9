// The half of NodeRuntime that the driver of a GPU runs. A driver does one thing at a time; each takes time,
// after which it looks for the next. Source: StarPU 1.4 driver_cuda.c, _starpu_cuda_driver_run_once.

#include <algorithm>
#include <utility>

#include "simulator/core/error.hpp"
#include "simulator/runtime/node_runtime.hpp"

namespace factosim {

void NodeRuntime::wake_driver(std::uint32_t memory) {
  std::uint32_t const gpu = memory - 1;
  GpuWorker& g = gpus_[gpu];
  if (g.busy || g.woken || g.driving) return;  // it will look again by itself
  g.woken = true;
  after(0, EventKind::driver_wakes, gpu);
}

void NodeRuntime::driver_wakes(std::uint32_t gpu) {
  gpus_[gpu].woken = false;
  if (!gpus_[gpu].busy) drive(gpu);
}

void NodeRuntime::spend(std::uint32_t gpu, double seconds, Resume resume) {
  GpuWorker& g = gpus_[gpu];
  g.busy = true;
  g.resume = resume;
  after(seconds, EventKind::worker_continues, gpu);
}

void NodeRuntime::resume(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  g.busy = false;
  switch (std::exchange(g.resume, Resume::nothing)) {
    case Resume::nothing:
      break;
    case Resume::push:
      push_next(g.releases);
      break;
    case Resume::launch:
      g.stream.push_back(g.launching);
      if (g.stream.size() == g.done + 1) start_next_kernel(gpu);
      break;
    case Resume::submit:
      data_->submit(g.request);
      break;
    case Resume::synchronous_end:
      release(g.launching, gpu, g.kernel_start, engine_.now(), g.releases);
      break;
  }
  drive(gpu);
}

void NodeRuntime::drive(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  g.driving = true;
  while (!g.busy && drive_once(gpu)) {
  }
  g.driving = false;
}

bool NodeRuntime::drive_once(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  if (drive_releases(gpu) || drive_launch(gpu) || drive_finish(gpu)) return true;
  if (!g.round_paid && inputs_.options.progress_cost.value > 0) {
    g.round_paid = true;
    spend(gpu, inputs_.options.progress_cost.value, Resume::nothing);
    return true;
  }
  if (drive_data(gpu) || drive_pop(gpu)) return true;
  g.round_paid = false;
  return false;
}

bool NodeRuntime::drive_releases(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  double const cost = release_time(g.releases);
  if (cost > 0)
    spend(gpu, cost, Resume::push);
  else if (g.releases.pending())
    push_next(g.releases);
  else
    return false;
  return true;
}

bool NodeRuntime::drive_launch(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  if (!g.fetching.valid() || g.missing > 0) return false;
  if (blocks_driver(g.fetching)) {
    if (!g.stream.empty()) return false;  // waits until all before it have ended
    run_synchronously(gpu, std::exchange(g.fetching, TaskId{}));
    return true;
  }
  g.launching = std::exchange(g.fetching, TaskId{});
  if (g.stream.empty()) scheduler_->started(gpu, g.launching);
  spend(gpu, inputs_.options.gpu_queue_cost.value, Resume::launch);
  return true;
}

void NodeRuntime::run_synchronously(std::uint32_t gpu, TaskId task) {
  GpuWorker& g = gpus_[gpu];
  g.launching = task;
  g.kernel_start = engine_.now();
  scheduler_->started(gpu, task);
  spend(gpu, duration(task, gpu), Resume::synchronous_end);
}

void NodeRuntime::start_next_kernel(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  g.kernel_start = engine_.now();
  after(duration(g.stream[g.done], gpu), EventKind::kernel_ends, gpu);
}

void NodeRuntime::gpu_kernel_ends(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  g.ended.push_back({g.kernel_start, engine_.now()});
  ++g.done;
  if (g.done < g.stream.size()) start_next_kernel(gpu);
  wake_driver(type_.workers[gpu].memory);
}

bool NodeRuntime::drive_finish(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  if (g.done == 0) return false;
  TaskId const task = g.stream.front();
  GpuWorker::Ended const times = g.ended.front();
  g.stream.erase(g.stream.begin());
  g.ended.erase(g.ended.begin());
  --g.done;
  release(task, gpu, times.start, times.end, g.releases);
  // The next kernel followed on the stream by itself; the driver only learns of it now.
  if (!g.stream.empty()) scheduler_->started(gpu, g.stream.front());
  return true;
}

double NodeRuntime::malloc_time() {
  double const now = engine_.now().value;
  malloc_free_at_ = std::max(malloc_free_at_, now) + inputs_.options.gpu_malloc_cost.value;
  return malloc_free_at_ - now;
}

bool NodeRuntime::drive_data(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  std::uint32_t const memory = type_.workers[gpu].memory;
  bool const completed = data_->complete_ended(memory);
  auto const step = data_->next_step(memory);
  if (!step) return completed;
  g.request = step->request;
  spend(gpu, inputs_.options.gpu_queue_cost.value + (step->allocates ? malloc_time() : 0.0), Resume::submit);
  return true;
}

bool NodeRuntime::drive_pop(std::uint32_t gpu) {
  GpuWorker& g = gpus_[gpu];
  auto const depth = static_cast<std::size_t>(std::max(1, inputs_.options.gpu_pipeline));
  if (g.fetching.valid() || g.stream.size() >= depth) return false;
  TaskId const task = pop(gpu);
  if (!task.valid()) return false;
  fetch_for_gpu(gpu, task);
  return true;
}

void NodeRuntime::fetch_for_gpu(std::uint32_t gpu, TaskId task) {
  GpuWorker& g = gpus_[gpu];
  auto const replicas = replicas_of(task);
  auto const accesses = inputs_.graph.accesses_of(task);
  g.fetching = task;
  g.missing = static_cast<std::uint32_t>(replicas.size());
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (data_->fetch(task, local(replicas[i]), type_.workers[gpu].memory, accesses[i].mode(),
                     request_priority(task), {Waiter::Kind::worker, gpu}))
      --g.missing;
  spend(gpu, inputs_.options.fetch_cost.value * static_cast<double>(replicas.size()), Resume::nothing);
}

}  // namespace factosim
