#include "simulator/sched/guarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

GuardedScheduler::GuardedScheduler(std::unique_ptr<Scheduler> policy, NodeView const& node, std::string where,
                                   std::string name)
    : policy_(std::move(policy)),
      node_(node),
      where_(std::move(where)),
      name_(std::move(name)),
      ready_(node.graph().task_count()) {
  if (policy_ == nullptr) fail("made no policy", "Return one for each node");
}

void GuardedScheduler::fail(std::string const& what, char const* remedy) const {
  throw InputError(where_, fmt::format("{} {}. {}", name_, what, remedy));
}

std::string GuardedScheduler::task_text(TaskId task) const {
  return fmt::format("task {} ({})", task.value(), node_.graph().kernel_of(task).name);
}

bool GuardedScheduler::can_run(LocalWorker worker, TaskId task) const {
  return !std::isinf(node_.durations(task)[worker.index()]);
}

Scheduler::Assignment GuardedScheduler::push(TaskId task, LocalWorker pusher) {
  ready_[task.index()] = true;
  ++kept_;
  Assignment const assignment = policy_->push(task, pusher);
  if (assignment.to != Assignment::To::worker) return assignment;
  std::size_t const workers = node_.workers().size();
  if (assignment.worker.index() >= workers)
    fail(fmt::format("gave {} to a worker that does not exist (the node has {})", task_text(task), workers),
         "Let push return a number below that");
  if (!can_run(assignment.worker, task))
    fail(fmt::format("gave {} to worker {} (which has no duration of it)", task_text(task),
                     assignment.worker.value()),
         "Give tasks only to workers with a finite duration");
  return assignment;
}

TaskId GuardedScheduler::pop(LocalWorker worker) {
  TaskId const task = policy_->pop(worker);
  if (!task.valid()) return task;
  if (task.index() >= ready_.size())
    fail(fmt::format("let worker {} pop task {} (there are {} tasks)", worker.value(), task.value(),
                     ready_.size()),
         "Let pop return tasks that were pushed");
  if (!ready_[task.index()])
    fail(fmt::format("let worker {} pop {} (it is not ready, or was popped before)", worker.value(),
                     task_text(task)),
         "Let pop return each pushed task once");
  if (!can_run(worker, task))
    fail(fmt::format("let worker {} pop {} (which has no duration of it)", worker.value(), task_text(task)),
         "Give tasks only to workers with a finite duration");
  ready_[task.index()] = false;
  --kept_;
  return task;
}

void GuardedScheduler::expect_none_kept() const {
  if (kept_ == 0) return;
  TaskId const first{std::ranges::find(ready_, true) - ready_.begin()};
  fail(fmt::format("keeps {} ready {} although workers are idle, the first of them {}", kept_,
                   kept_ == 1 ? "task" : "tasks", task_text(first)),
       "Let pop return each of them to a worker that is woken for it");
}

}  // namespace factosim
