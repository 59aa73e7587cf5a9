#include "simulator/runtime/policies/heteroprio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

HeteroprioScheduler::HeteroprioScheduler(NodeView const& node) : node_(node) {
  TaskGraph const& graph = node.graph();
  std::vector<TaskId> examples(graph.kernels.size());
  for (std::size_t t = graph.task_count(); t-- > 0;) examples[graph.kernel[t]] = TaskId{t};
  buckets_.resize(examples.size());
  for (std::uint32_t k = 0; k < examples.size(); ++k)
    if (examples[k].valid()) add_bucket(k, examples[k]);
}

void HeteroprioScheduler::add_bucket(std::uint32_t kernel, TaskId example) {
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

HeteroprioScheduler::Bucket HeteroprioScheduler::make_bucket(TaskId example) const {
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

Scheduler::Assignment HeteroprioScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  std::uint32_t const kernel = node_.graph().kernel[task.index()];
  Bucket& bucket = buckets_[kernel];
  if (bucket.runs_on.empty()) add_bucket(kernel, task);
  FACTOSIM_ALWAYS(bucket.fast_workers > 0, "no worker of the node can run a ready task");
  bucket.tasks.push_back(task);
  // The first idle worker to be woken would be a GPU, which may not be allowed to take this task.
  return bucket.withheld_from_gpus ? to_all_workers() : to_first_idle();
}

bool HeteroprioScheduler::may_take(LocalWorker worker, Bucket const& bucket) const {
  if (bucket.tasks.empty() || !bucket.runs_on[worker.index()]) return false;
  double const slow_factor = bucket.slow_factor[kind_of(worker)];
  return slow_factor <= 1 ||
         static_cast<double>(bucket.tasks.size()) / static_cast<double>(bucket.fast_workers) >= slow_factor;
}

TaskId HeteroprioScheduler::pop(LocalWorker worker) {
  for (std::uint32_t const kernel : visited_[kind_of(worker)]) {
    Bucket& bucket = buckets_[kernel];
    if (!may_take(worker, bucket)) continue;
    TaskId const task = bucket.tasks.front();
    bucket.tasks.pop_front();
    return task;
  }
  return {};
}

}  // namespace factosim
