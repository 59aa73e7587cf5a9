#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// A policy that is not part of factosim, whose answers are checked: each task is popped once, after it became
/// ready, by a worker that can run it. A wrong answer throws InputError that names the policy.
class GuardedScheduler final : public Scheduler {
 public:
  /// `where` is the place of the policy in the input, `name` its name there. `policy` must not be null.
  GuardedScheduler(std::unique_ptr<Scheduler> policy, NodeView const& node, std::string where,
                   std::string name);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  void started(LocalWorker worker, TaskId task) override { policy_->started(worker, task); }
  void finished(LocalWorker worker, TaskId task) override { policy_->finished(worker, task); }
  [[nodiscard]] bool prefetches() const override { return policy_->prefetches(); }
  [[nodiscard]] bool shares_tasks() const override { return policy_->shares_tasks(); }
  [[nodiscard]] bool knows_priorities() const override { return policy_->knows_priorities(); }

  /// To be called when a run has come to a stop before all tasks have run. Throws InputError if the policy keeps
  /// ready tasks.
  void expect_none_kept() const;

 private:
  [[nodiscard]] std::string task_text(TaskId task) const;
  [[nodiscard]] bool can_run(LocalWorker worker, TaskId task) const;
  [[noreturn]] void fail(std::string const& what, char const* remedy) const;

  std::unique_ptr<Scheduler> policy_;
  NodeView const& node_;
  std::string where_, name_;
  std::vector<bool> ready_;  // [tasks] pushed and not yet popped
  std::uint32_t kept_ = 0;   // tasks among them
};

}  // namespace factosim
