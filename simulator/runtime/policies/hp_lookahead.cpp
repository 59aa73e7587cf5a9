#include "simulator/runtime/policies/hp_lookahead.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t no_worker = SIZE_MAX;
// Waiting tasks up to which a worker gets more (TCPU, TGPU).
constexpr std::size_t max_waiting_on_core = 2, max_waiting_on_gpu = 8;

}  // namespace

HpLookaheadScheduler::HpLookaheadScheduler(NodeView const& node)
    : node_(node),
      ready_(node),
      scheduling_core_(no_worker),
      queues_(node.workers().size()),
      ahead_(node.workers().size()) {
  for (std::size_t w = queues_.size(); w-- > 0;) {
    if (is_gpu(w))
      ++gpus_;
    else
      scheduling_core_ = w;
  }
}

bool HpLookaheadScheduler::runs_on_all(TaskId task) const {
  auto const durations = node_.durations(task);
  std::size_t others = 0;
  for (std::size_t w = 0; w < durations.size(); ++w) {
    if (w == scheduling_core_) continue;
    if (std::isinf(durations[w])) return false;
    ++others;
  }
  return others > 0;
}

template <class FreeAt>
std::size_t HpLookaheadScheduler::first_free(FreeAt free_at) const {
  std::size_t out = no_worker;
  for (std::size_t w = 0; w < queues_.size(); ++w) {
    if (w == scheduling_core_) continue;
    if (out == no_worker || free_at(w) < free_at(out) || (free_at(w) == free_at(out) && is_gpu(w))) out = w;
  }
  return out;
}

Scheduler::Assignment HpLookaheadScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  if (runs_on_all(task))
    ready_.of(task).tasks.push_back(task);
  else
    give_to_shortest(task);
  assign();
  return to_all_workers();
}

TaskId HpLookaheadScheduler::pop(LocalWorker worker) {
  auto& tasks = queues_[worker.index()].tasks;
  if (tasks.empty()) assign();
  if (tasks.empty()) return {};
  TaskId const task = tasks.front();
  tasks.pop_front();
  assign();
  return task;
}

void HpLookaheadScheduler::started(LocalWorker worker, TaskId task) {
  Queue& queue = queues_[worker.index()];
  double const predicted = duration(task, worker.index());
  queue.start = node_.now().value + predicted;
  queue.queued -= predicted;
}

void HpLookaheadScheduler::finished(LocalWorker worker, TaskId /*task*/) {
  queues_[worker.index()].start = node_.now().value;
}

void HpLookaheadScheduler::planned(LocalMemory memory, std::vector<TaskId>& tasks) const {
  for (std::size_t w = 0; w < queues_.size(); ++w)
    if (node_.workers()[w].memory == memory)
      tasks.insert(tasks.end(), queues_[w].tasks.begin(), queues_[w].tasks.end());
}

void HpLookaheadScheduler::give(TaskId task, std::size_t worker) {
  queues_[worker].tasks.push_back(task);
  queues_[worker].queued += duration(task, worker);
  if (prefetcher_ != nullptr) prefetcher_->prefetch(task, node_.workers()[worker].memory);
}

void HpLookaheadScheduler::give_to_shortest(TaskId task) {
  std::size_t shortest = no_worker;
  auto const durations = node_.durations(task);
  for (std::size_t w = 0; w < queues_.size(); ++w)
    if (w != scheduling_core_ && !std::isinf(durations[w]) &&
        (shortest == no_worker || queues_[w].tasks.size() < queues_[shortest].tasks.size()))
      shortest = w;
  if (shortest == no_worker) shortest = scheduling_core_;
  FACTOSIM_ALWAYS(shortest != no_worker && !std::isinf(durations[shortest]),
                  "no worker of the node can run a ready task");
  give(task, shortest);
}

void HpLookaheadScheduler::assign() {
  while (assign_once()) {
  }
}

bool HpLookaheadScheduler::assign_once() {
  if (ready_.tasks() == 0) return false;
  for (Queue& queue : queues_) queue.start = std::max(queue.start, node_.now().value);
  std::size_t const worker = first_free([&](std::size_t w) { return queues_[w].end(); });
  std::size_t const waiting = queues_[worker].tasks.size();
  if (is_gpu(worker)) return waiting <= max_waiting_on_gpu && fill(worker);
  if (waiting > max_waiting_on_core) return false;
  std::size_t const chosen = look_ahead();
  auto& least = ready_.least_accelerated().tasks;
  TaskId const task = least.front();
  least.pop_front();
  give(task, chosen);
  return true;
}

bool HpLookaheadScheduler::fill(std::size_t gpu) {
  std::size_t left = (ready_.tasks() + gpus_ - 1) / gpus_;
  bool given = false;
  while (left-- > 0 && queues_[gpu].tasks.size() <= max_waiting_on_gpu) {
    TaskId task;
    for (KernelQueues::Queue& queue : ready_.queues() | std::views::reverse)
      if ((task = ready_.take(queue, LocalWorker{gpu})).valid()) break;
    if (!task.valid()) return given;
    give(task, gpu);
    given = true;
  }
  return given;
}

TaskId HpLookaheadScheduler::next_for_core() {
  for (; core_walk_.queue < gpu_walk_.queue; core_walk_ = {core_walk_.queue + 1, 0}) {
    auto const& tasks = ready_.queues()[core_walk_.queue].tasks;
    if (core_walk_.taken < tasks.size()) return tasks[core_walk_.taken++];
  }
  return {};
}

TaskId HpLookaheadScheduler::next_for_gpu() {
  for (; gpu_walk_.queue > core_walk_.queue; gpu_walk_ = {gpu_walk_.queue - 1, 0}) {
    auto const& tasks = ready_.queues()[gpu_walk_.queue - 1].tasks;
    if (gpu_walk_.taken < tasks.size()) return tasks[gpu_walk_.taken++];
  }
  return {};
}

std::size_t HpLookaheadScheduler::holder(TaskId task) const {
  auto const at = std::ranges::find(ahead_, task, &Ahead::task);
  return at == ahead_.end() ? no_worker : static_cast<std::size_t>(at - ahead_.begin());
}

/// Workers that are idle at that date wait until the next one is free.
void HpLookaheadScheduler::wait_for_next(double date) {
  double next = infinity;
  for (Ahead const& a : ahead_)
    if (a.start > date) next = std::min(next, a.start);
  for (Ahead& a : ahead_) a.start = std::max(a.start, next);
}

std::size_t HpLookaheadScheduler::decide_at_idle_gpu(TaskId task, std::size_t gpu) const {
  std::size_t const has_it = holder(task);
  if (ahead_[gpu].start + duration(task, gpu) >= ahead_[has_it].start) return has_it;
  std::size_t best = no_worker;
  for (std::size_t w = 0; w < queues_.size(); ++w)
    if (is_gpu(w) && (best == no_worker || queues_[w].end() < queues_[best].end())) best = w;
  return best;
}

std::size_t HpLookaheadScheduler::look_ahead() {
  for (std::size_t w = 0; w < ahead_.size(); ++w)
    ahead_[w] = {.start = w == scheduling_core_ ? infinity : queues_[w].start, .next = 0, .task = {}};
  core_walk_ = {0, 0};
  gpu_walk_ = {ready_.queues().size(), 0};
  TaskId const followed = ready_.least_accelerated().tasks.front();
  while (true) {
    std::size_t const worker = first_free([&](std::size_t w) { return ahead_[w].start; });
    Ahead& free = ahead_[worker];
    for (std::size_t w = 0; w < ahead_.size(); ++w) {
      if (ahead_[w].start != free.start || !ahead_[w].task.valid()) continue;
      if (ahead_[w].task == followed) return w;
      ahead_[w].task = {};
    }
    auto const& queue = queues_[worker].tasks;
    TaskId next;
    if (free.next < queue.size())
      next = queue[free.next++];
    else
      next = is_gpu(worker) ? next_for_gpu() : next_for_core();
    if (next.valid()) {
      free.task = next;
      free.start += duration(next, worker);
    } else if (is_gpu(worker)) {
      return decide_at_idle_gpu(followed, worker);
    } else {
      wait_for_next(free.start);
    }
  }
}

}  // namespace factosim
