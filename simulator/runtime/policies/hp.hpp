#pragma once

#include "simulator/runtime/policies/kernel_queues.hpp"

namespace factosim {

/// Basic heteroprio: cores take the kernels by increasing acceleration, GPUs by decreasing acceleration and never the least
/// accelerated one known so far, unless no core can run it. Within a kernel, last in, first out.
/// Source: StarPU 1.5 `hpbasic.c` (STARPU_SCHED=hp).
class HpScheduler final : public Scheduler {
 public:
  explicit HpScheduler(NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  [[nodiscard]] bool for_cores_only(KernelQueues::Queue const& queue) const;

  NodeView const& node_;
  KernelQueues ready_;
};

}  // namespace factosim
