#include "simulator/runtime/node/kernel_stream.hpp"

#include <algorithm>

namespace factosim {

bool KernelStream::blocks_driver(TaskId task) const {
  return !node_.type.workers[worker_.index()].gpu || node_.inputs.options.gpu_pipeline == 0 ||
         !node_.inputs.graph.kernel_of(task).asynchronous_on_gpu;
}

bool KernelStream::full() const {
  bool const gpu = node_.type.workers[worker_.index()].gpu;
  return tasks_.size() >=
         (gpu ? static_cast<std::size_t>(std::max(1, node_.inputs.options.gpu_pipeline)) : 1);
}

void KernelStream::launch(TaskId task, EventKind end) {
  tasks_.push_back(task);
  if (tasks_.size() == ended_.size() + 1) start(task, end);
}

void KernelStream::start(TaskId task, EventKind end) {
  Seconds const now = node_.engine.now();
  Seconds const pause = node_.kernels.pause_before(task, worker_, last_end_, now);
  start_ = now + pause;
  Seconds const duration = node_.kernels.start(task, worker_);
  if (SharedGpus* const gpus = node_.kernels.shared_gpus(worker_))
    gpus->start(worker_, duration,
                node_.type.gpu_part(node_.inputs.graph.kernel[task.index()], worker_.index()), now,
                end_on_shared_gpu());
  else
    node_.engine.after(pause + duration, node_.event(end, worker_));
}

bool KernelStream::is_late(EventKind end) {
  Seconds const delay = node_.kernels.delay(worker_);
  if (delay.value > 0) node_.engine.after(delay, node_.event(end, worker_));
  return delay.value > 0;
}

void KernelStream::end() {
  node_.kernels.end(worker_);
  last_end_ = node_.engine.now();
  Seconds work = last_end_ - start_;
  if (SharedGpus* const gpus = node_.kernels.shared_gpus(worker_)) {
    gpus->end(worker_, last_end_, end_on_shared_gpu());
    work = gpus->drawn(worker_);
  }
  ended_.push_back({tasks_[ended_.size()], start_, last_end_, work});
  if (ended_.size() < tasks_.size()) start(tasks_[ended_.size()], EventKind::kernel_ends);
}

KernelStream::Ended KernelStream::take_ended() {
  Ended const ended = ended_.front();
  tasks_.erase(tasks_.begin());
  ended_.erase(ended_.begin());
  return ended;
}

}  // namespace factosim
