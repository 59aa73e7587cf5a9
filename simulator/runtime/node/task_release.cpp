#include "simulator/runtime/node/task_release.hpp"

namespace factosim {

void TaskRelease::complete(KernelStream::Ended const& ended, LocalWorker worker, NodeParts const& node) {
  TaskGraph const& graph = node.inputs.graph;
  TaskId const task = ended.task;
  node.scheduler.finished(worker, task);
  node.services.task_ran(task, node.id, worker, ended.start, ended.end, ended.work);
  node.data.release(task, node.type.workers[worker.index()].memory);
  if (node.inputs.options.wont_use && graph.writes_back[task.index()]) unused_ = task;
  ready_.clear();
  next_ = 0;
  if (TaskId const sender = node.services.task_ended(task, node.id, ready_); sender.valid())
    node.data.send_output(sender);
}

}  // namespace factosim
