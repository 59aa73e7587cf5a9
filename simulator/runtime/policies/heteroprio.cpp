#include "simulator/runtime/policies/policies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

namespace {

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
  explicit HeteroprioScheduler(NodeView const& node) : node_(node) {
    TaskGraph const& graph = node.graph();
    std::vector<TaskId> examples(graph.kernels.size());
    for (std::size_t t = graph.task_count(); t-- > 0;) examples[graph.kernel[t]] = TaskId{t};
    buckets_.resize(examples.size());
    for (std::uint32_t k = 0; k < examples.size(); ++k)
      if (examples[k].valid()) add_bucket(k, examples[k]);
  }

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    std::uint32_t const kernel = node_.graph().kernel[task.index()];
    Bucket& bucket = buckets_[kernel];
    if (bucket.runs_on.empty()) add_bucket(kernel, task);
    FACTOSIM_ALWAYS(bucket.fast_workers > 0, "no worker of the node can run a ready task");
    bucket.tasks.push_back(task);
    // The first idle worker to be woken would be a GPU, which may not be allowed to take this task.
    return bucket.withheld_from_gpus ? to_all_workers() : to_first_idle();
  }

  TaskId pop(LocalWorker worker) override {
    for (std::uint32_t const kernel : visited_[kind_of(worker)]) {
      Bucket& bucket = buckets_[kernel];
      if (!may_take(worker, bucket)) continue;
      TaskId const task = bucket.tasks.front();
      bucket.tasks.pop_front();
      return task;
    }
    return {};
  }

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
  void add_bucket(std::uint32_t kernel, TaskId example) {
    buckets_[kernel] = make_bucket(example);
    for (std::size_t kind = 0; kind < visited_.size(); ++kind)
      if (!std::isinf(buckets_[kernel].slow_factor[kind])) visited_[kind].push_back(kernel);
    auto const less = [&](double sign) {
      return [this, sign](std::uint32_t a, std::uint32_t b) {
        return std::pair(sign * buckets_[a].acceleration, a) < std::pair(sign * buckets_[b].acceleration, b);
      };
    };
    std::ranges::sort(visited_[0], less(1));
    std::ranges::sort(visited_[1], less(-1));
  }

  [[nodiscard]] Bucket make_bucket(TaskId example) const {
    auto const durations = node_.durations(example);
    Bucket bucket;
    std::array<double, 2> mean{};
    std::array<std::size_t, 2> count{};
    for (std::size_t w = 0; w < durations.size(); ++w) {
      bucket.runs_on.push_back(!std::isinf(durations[w]));
      if (!bucket.runs_on[w]) continue;
      std::size_t const kind = kind_of(LocalWorker{w});
      mean[kind] += durations[w];
      ++count[kind];
    }
    for (std::size_t kind = 0; kind < mean.size(); ++kind)
      mean[kind] = count[kind] > 0 ? mean[kind] / static_cast<double>(count[kind])
                                   : std::numeric_limits<double>::infinity();
    std::size_t const faster = mean[1] <= mean[0] ? 1 : 0;
    for (std::size_t kind = 0; kind < mean.size(); ++kind)
      bucket.slow_factor[kind] = std::isinf(mean[kind])      ? mean[kind]
                                 : mean[kind] > mean[faster] ? mean[kind] / mean[faster]
                                                             : 1;
    bucket.fast_workers = count[faster];
    bucket.withheld_from_gpus = faster == 0 && count[1] > 0;
    bucket.acceleration = bucket.slow_factor[0] / bucket.slow_factor[1];
    return bucket;
  }

  [[nodiscard]] bool may_take(LocalWorker worker, Bucket const& bucket) const {
    if (bucket.tasks.empty() || !bucket.runs_on[worker.index()]) return false;
    double const slow_factor = bucket.slow_factor[kind_of(worker)];
    return slow_factor <= 1 ||
           static_cast<double>(bucket.tasks.size()) / static_cast<double>(bucket.fast_workers) >= slow_factor;
  }
  [[nodiscard]] std::size_t kind_of(LocalWorker worker) const {
    return node_.workers()[worker.index()].gpu ? 1 : 0;
  }

  NodeView const& node_;
  std::vector<Bucket> buckets_;  // [kernels]
  std::array<std::vector<std::uint32_t>, 2>
      visited_;  // [core, GPU] kernels in the order in which they are visited
};

}  // namespace

std::vector<PolicyKind> heteroprio_policies() {
  return {{"heteroprio", made_for_node<HeteroprioScheduler>,
           "queues by kernel; GPUs and cores take them in opposite orders of acceleration"}};
}

}  // namespace factosim
