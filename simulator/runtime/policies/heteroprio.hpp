#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// Ready tasks wait in one bucket per kernel, first in first out. A GPU looks for a task in the buckets by
/// decreasing acceleration (mean duration on a core / mean duration on a GPU), a core by increasing
/// acceleration; kernels that only its own kind can run come first. The slower kind for a bucket leaves the tasks to
/// the faster one unless
///
///   tasks in the bucket / workers of the faster kind >= mean duration on the slower / on the faster kind
///
/// Source: Agullo, Bramas, Coulaud, Darve, Messner, Takahashi, "Task-based FMM for heterogeneous
/// architectures", Concurrency and Computation 28(9), 2016; StarPU 1.4 `heteroprio.c` without locality. StarPU's
/// users give the orders and factors that are computed here; its workers reserve up to two tasks, its buckets
/// are last in, first out, and it withholds no bucket from GPUs.
class HeteroprioScheduler final : public Scheduler {
 public:
  explicit HeteroprioScheduler(NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  struct Bucket {
    std::deque<TaskId> tasks;
    std::vector<bool> runs_on;  // [workers]
    /// [core, GPU] how many times longer its tasks last than on the faster kind; infinity: cannot run.
    std::array<double, 2> slow_factor{};
    std::size_t fast_workers = 0;     // of the faster kind
    bool withheld_from_gpus = false;  // GPUs can run its tasks, but are slower than cores
    double acceleration = 0;
  };

  /// Adds the bucket of a kernel; with tasks from formulas, some kernels are known from their first ready task on.
  void add_bucket(std::uint32_t kernel, TaskId example);
  [[nodiscard]] Bucket make_bucket(TaskId example) const;
  [[nodiscard]] bool may_take(LocalWorker worker, Bucket const& bucket) const;
  [[nodiscard]] std::size_t kind_of(LocalWorker worker) const {
    return node_.workers()[worker.index()].gpu ? 1 : 0;
  }

  NodeView const& node_;
  std::vector<Bucket> buckets_;  // [kernels]
  std::array<std::vector<std::uint32_t>, 2>
      visited_;  // [core, GPU] kernels in the order in which they are visited
};

}  // namespace factosim
