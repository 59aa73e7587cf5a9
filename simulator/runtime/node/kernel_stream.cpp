#include <cmath>

#include "simulator/runtime/node/driver.hpp"

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
  FACTOSIM_EXPECT(!full(), "a worker launches more kernels than its pipeline holds");
  tasks_.push_back(task);
  if (tasks_.size() == ended_.size() + 1) start(task, end);
}

void KernelStream::start(TaskId task, EventKind end) {
  Seconds const now = node_.engine.now();
  TimeGrid const& grid = node_.engine.grid();
  start_ = grid.after(now, node_.kernels.pause_before(task, worker_, last_end_, now));
  Seconds const duration = node_.kernels.start(task, worker_);
  FACTOSIM_ALWAYS(std::isfinite(duration.value), "a policy gave a task to a worker that cannot run it");
  end_ = grid.after(start_, duration);
  if (SharedGpus* const gpus = node_.kernels.shared_gpus(worker_))
    gpus->start(worker_, duration,
                node_.type.gpu_part(node_.inputs.graph.kernel[task.index()], worker_.index()), now,
                end_on_shared_gpu());
  else
    node_.engine.at(end_, node_.event(end, worker_));
}

bool KernelStream::is_late(EventKind end) {
  Seconds const delay = node_.kernels.delay(worker_);
  if (delay.value > 0) node_.engine.after(delay, node_.event(end, worker_));
  return delay.value > 0;
}

void KernelStream::end() {
  FACTOSIM_EXPECT(ended_.size() < tasks_.size(), "a kernel ends that does not run");
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

Seconds KernelStream::left() const {
  if (ended_.size() == tasks_.size()) return Seconds{0};
  Seconds left = std::max(Seconds{0}, end_ - node_.engine.now());
  for (std::size_t i = ended_.size() + 1; i < tasks_.size(); ++i)
    left += Seconds{node_.inputs.machine.durations(
                node_.id, node_.inputs.graph.kernel[tasks_[i].index()])[worker_.index()]} *
            node_.inputs.graph.weight(tasks_[i], node_.type.workers[worker_.index()].gpu);
  return left;
}

KernelStream::Ended KernelStream::take_ended() {
  FACTOSIM_EXPECT(has_ended(), "the end of a kernel is noticed before it");
  Ended const ended = ended_.front();
  tasks_.erase(tasks_.begin());
  ended_.erase(ended_.begin());
  return ended;
}

void TaskRelease::complete(KernelStream::Ended const& ended, LocalWorker worker, NodeParts const& node) {
  TaskGraph const& graph = node.inputs.graph;
  TaskId const task = ended.task;
  FACTOSIM_EXPECT(!has_ready(), "a task ends before what the one before it made ready was pushed");
  node.scheduler.finished(worker, task);
  node.services.task_ran(task, node.id, worker, ended.start, ended.end, ended.work);
  pause_ = node.data.release(task, node.type.workers[worker.index()].memory);
  if (node.inputs.options.wont_use && graph.writes_back[task.index()]) unused_ = task;
  ready_.clear();
  next_ = 0;
  std::size_t const messages = node.services.task_ended(task, node.id, ready_);
  pause_ += node.inputs.options.push_cost * static_cast<double>(messages);
  if (messages > 0) node.data.send_output(task);
}

}  // namespace factosim
