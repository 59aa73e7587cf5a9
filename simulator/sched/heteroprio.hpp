#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// Ready tasks wait in one bucket per kernel, first in first out. The acceleration of a bucket is the mean
/// duration on a core divided by that on a GPU. GPUs visit the buckets by decreasing acceleration, cores by
/// increasing acceleration. The kind of worker that is slower in a bucket takes a task from it only if
///
///   tasks in the bucket / workers of the faster kind >= mean duration on the slower / on the faster kind
///
/// Source: Agullo, Bramas, Coulaud, Darve, Messner, Takahashi, "Task-based FMM for heterogeneous
/// architectures", Concurrency and Computation 28(9), 2016; StarPU 1.4 `heteroprio.c` without locality.
/// Unlike StarPU, computes the orders and factors, which StarPU's users give; buckets are first in first
/// out; workers do not reserve up to two tasks; and GPUs too leave tasks to cores.
class HeteroprioScheduler final : public Scheduler {
 public:
  explicit HeteroprioScheduler(NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  struct Bucket {
    std::deque<TaskId> tasks;
    std::vector<bool> runs_on;  // [workers]
    /// [core, GPU] mean duration divided by that on the faster kind; infinity: cannot run there.
    std::array<double, 2> slow_factor{};
    std::size_t fast_workers = 0;     // of the faster kind
    bool withheld_from_gpus = false;  // GPUs can run its tasks, but are slower than cores
    double acceleration = 0;
  };

  [[nodiscard]] Bucket make_bucket(TaskId example) const;
  [[nodiscard]] bool may_take(std::uint32_t worker, Bucket const& bucket) const;
  [[nodiscard]] std::size_t kind_of(std::uint32_t worker) const {
    return node_.workers()[worker].gpu ? 1 : 0;
  }

  NodeView const& node_;
  std::vector<Bucket> buckets_;  // [kernels]
  std::array<std::vector<std::uint32_t>, 2>
      visited_;  // [core, GPU] kernels in the order in which they are visited
};

}  // namespace factosim
