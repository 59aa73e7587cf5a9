#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// Ready tasks wait in one bucket per kernel, first in first out. A GPU looks for a task in the buckets by
/// decreasing acceleration (mean duration on a core / mean duration on a GPU), a core by increasing
/// acceleration; what only its own kind can run comes first. The slower kind for a bucket leaves the tasks to
/// the faster one unless
///
///   tasks in the bucket / workers of the faster kind >= mean duration on the slower / on the faster kind
///
/// Source: Agullo, Bramas, Coulaud, Darve, Messner, Takahashi, "Task-based FMM for heterogeneous
/// architectures", Concurrency and Computation 28(9), 2016; StarPU 1.4 `heteroprio.c` without locality, whose
/// users give the orders and the factors that are computed here. There, workers set up to two tasks aside for
/// themselves, the last one in a bucket is the first one out, and no bucket is withheld from GPUs.
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
    /// [core, GPU] how many times longer its tasks last than on the faster kind; infinity: never there.
    std::array<double, 2> slow_factor{};
    std::size_t fast_workers = 0;     // of the faster kind
    bool withheld_from_gpus = false;  // GPUs can run its tasks, and may have to leave them to cores
    double acceleration = 0;
  };

  [[nodiscard]] Bucket make_bucket(TaskId example) const;
  [[nodiscard]] bool may_take(std::uint32_t worker, Bucket const& bucket) const;
  [[nodiscard]] std::size_t kind_of(std::uint32_t worker) const {
    return node_.workers()[worker].gpu ? 1 : 0;
  }

  NodeView const& node_;
  std::vector<Bucket> buckets_;                        // [kernels]
  std::array<std::vector<std::uint32_t>, 2> visited_;  // [core, GPU] kernels in the order of the visit
};

}  // namespace factosim
