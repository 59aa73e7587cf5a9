#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "factosim/scheduler.hpp"

// Plain second implementations of policies. They keep lists of tasks and work every estimate out anew from them, and
// say which decisions a policy could take.
namespace factosim::testing {

class PolicyReference {
 public:
  explicit PolicyReference(NodeView const& node) : node_(node) {}
  virtual ~PolicyReference() = default;

  /// Whether the policy may assign the task to that worker; an invalid one: to no worker.
  [[nodiscard]] virtual bool may_push(TaskId task, LocalWorker pusher, LocalWorker worker) const = 0;
  virtual void pushed(TaskId task, LocalWorker pusher, LocalWorker worker) = 0;
  /// Whether the worker may get that task; an invalid one: none.
  [[nodiscard]] virtual bool may_pop(LocalWorker worker, TaskId task) const = 0;
  virtual void popped(LocalWorker worker, TaskId task) = 0;
  virtual void started(LocalWorker /*worker*/, TaskId /*task*/) {}
  virtual void finished(LocalWorker /*worker*/, TaskId /*task*/) {}

 protected:
  [[nodiscard]] bool runs(LocalWorker worker, TaskId task) const {
    return std::isfinite(node_.durations(task)[worker.index()]);
  }
  [[nodiscard]] double now() const { return node_.now().value; }
  NodeView const& node_;
};

/// dmda and dmdas. Source: StarPU 1.4, `deque_modeling_policy_data_aware.c` and `fifo_queues.c`: a queue expects to
/// start at exp_start; exp_len is the work that waits, of tasks in the pipeline until they start too.
class DequeModelReference final : public PolicyReference {
 public:
  DequeModelReference(NodeView const& node, SchedulerOptions options)
      : PolicyReference(node), options_(std::move(options)), queues_(node.workers().size()) {}

  bool may_push(TaskId task, LocalWorker /*pusher*/, LocalWorker worker) const override {
    if (!worker.valid() || !runs(worker, task)) return false;
    double best = HUGE_VAL;
    for (std::size_t w = 0; w < queues_.size(); ++w) best = std::min(best, cost(task, w));
    return cost(task, worker.index()) <= best + 1e-9;
  }
  void pushed(TaskId task, LocalWorker /*pusher*/, LocalWorker worker) override {
    Queue& queue = queues_[worker.index()];
    queue.start = std::max(queue.start, now());
    double const free = queue.start + waiting_work(queue);
    queue.tasks.push_back({.task = task,
                           .transfer = std::max(0.0, now() + transfer(task, worker.index()) - free),
                           .kernel = node_.durations(task)[worker.index()]});
  }
  bool may_pop(LocalWorker worker, TaskId task) const override {
    std::vector<TaskId> waiting;
    for (Entry const& e : queues_[worker.index()].tasks)
      if (e.state == State::waiting) waiting.push_back(e.task);
    if (waiting.empty() || !task.valid()) return waiting.empty() && !task.valid();
    if (options_.type != "dmdas") return task == waiting.front();
    // Of the highest priority; the fewest bytes missing; the first in.
    auto const rank = [&](TaskId t) {
      Readiness const r = node_.readiness(t, node_.workers()[worker.index()].memory);
      return std::tuple(-node_.priority(t), r.missing, r.not_loading, r.not_allocated);
    };
    return task == *std::min_element(waiting.begin(), waiting.end(),
                                     [&](TaskId a, TaskId b) { return rank(a) < rank(b); });
  }
  void popped(LocalWorker worker, TaskId task) override {
    Queue& queue = queues_[worker.index()];
    queue.start = std::max(queue.start, now());
    if (!task.valid()) return;
    entry(queue, task).state = State::popped;
    queue.start = now() + pipeline_work(queue);
  }
  void started(LocalWorker worker, TaskId task) override {
    Queue& queue = queues_[worker.index()];
    entry(queue, task).state = State::started;
    queue.start = now() + pipeline_work(queue);
  }
  void finished(LocalWorker worker, TaskId task) override {
    Queue& queue = queues_[worker.index()];
    std::erase_if(queue.tasks, [&](Entry const& e) { return e.task == task; });
    queue.start = std::max(queue.start, now() + pipeline_work(queue));
  }
  /// alpha (end - earliest end) + beta transfer + gamma (energy of the kernel and of the machine that runs longer).
  [[nodiscard]] double cost(TaskId task, std::size_t worker) const {
    double earliest = HUGE_VAL, all_idle = 0;
    for (std::size_t w = 0; w < queues_.size(); ++w) {
      earliest = std::min(earliest, end(task, w));
      all_idle = std::max(all_idle, queue_end(w));
    }
    double const joules = node_.workers()[worker].busy_power * node_.durations(task)[worker] +
                          options_.idle_power * std::max(0.0, end(task, worker) - all_idle);
    return options_.alpha * (end(task, worker) - earliest) + options_.beta * transfer(task, worker) +
           options_.gamma * 1e-6 * joules;
  }

 private:
  enum class State { waiting, popped, started };
  struct Entry {
    TaskId task;
    double transfer, kernel;
    State state = State::waiting;
  };
  struct Queue {
    std::vector<Entry> tasks;  // in the order of pushes
    double start = 0;
  };
  static Entry& entry(Queue& queue, TaskId task) {
    return *std::ranges::find(queue.tasks, task, &Entry::task);
  }
  static double waiting_work(Queue const& queue) {
    double sum = 0;
    for (Entry const& e : queue.tasks) {
      if (e.state == State::waiting) sum += e.transfer;
      if (e.state != State::started) sum += e.kernel;
    }
    return sum;
  }
  static double pipeline_work(Queue const& queue) {
    double sum = 0;
    for (Entry const& e : queue.tasks) {
      if (e.state == State::popped) sum += e.transfer;
      if (e.state == State::started) sum += e.kernel;
    }
    return sum;
  }
  [[nodiscard]] double transfer(TaskId task, std::size_t worker) const {
    std::vector<double> seconds(node_.memory_node_count());
    node_.predict_transfers(task, seconds);
    return options_.transfer_factor * seconds[node_.workers()[worker].memory.index()];
  }
  [[nodiscard]] double end(TaskId task, std::size_t w) const {
    return std::max(queue_end(w), now() + transfer(task, w)) + node_.durations(task)[w];
  }
  [[nodiscard]] double queue_end(std::size_t w) const {
    return std::max(queues_[w].start, now()) + waiting_work(queues_[w]);
  }

  SchedulerOptions options_;
  std::vector<Queue> queues_;
};

/// eager: one queue; a worker gets the first task in that it can run. Source: StarPU 1.4, `eager_central_policy.c`.
class EagerReference final : public PolicyReference {
 public:
  using PolicyReference::PolicyReference;
  bool may_push(TaskId, LocalWorker, LocalWorker worker) const override { return !worker.valid(); }
  void pushed(TaskId task, LocalWorker, LocalWorker) override { queue_.push_back(task); }
  bool may_pop(LocalWorker worker, TaskId task) const override {
    for (TaskId const first : queue_)
      if (runs(worker, first)) return task == first;
    return !task.valid();
  }
  void popped(LocalWorker, TaskId task) override { std::erase(queue_, task); }

 private:
  std::vector<TaskId> queue_;
};

/// lws, without a topology: a task goes to the worker that made it ready, or to the next that can run it. A worker takes
/// the first of the highest priority of its own tasks, or the last of the highest priority of the next worker that has
/// tasks and is not itself looking for one. Source: StarPU 1.4, `work_stealing_policy.c`.
class StealingReference final : public PolicyReference {
 public:
  explicit StealingReference(NodeView const& node) : PolicyReference(node), workers_(node.workers().size()) {}
  bool may_push(TaskId, LocalWorker, LocalWorker worker) const override { return !worker.valid(); }
  void pushed(TaskId task, LocalWorker pusher, LocalWorker) override {
    std::size_t to = pusher.valid() ? pusher.index() : 0;
    if (!pusher.valid() || !runs(pusher, task)) {
      do next_ = (next_ + 1) % workers_.size();
      while (!runs(LocalWorker{next_}, task));
      to = next_;
    }
    workers_[to].tasks.push_back(task);
  }
  bool may_pop(LocalWorker worker, TaskId task) const override { return task == choice(worker).first; }
  void popped(LocalWorker worker, TaskId task) override {
    auto const [chosen, victim] = choice(worker);
    if (!own_choice(worker).valid()) workers_[worker.index()].next_victim = (victim + 1) % workers_.size();
    for (Worker& w : workers_) std::erase(w.tasks, task);
    workers_[worker.index()].busy = task.valid();
  }

 private:
  struct Worker {
    std::vector<TaskId> tasks;  // in the order of pushes
    bool busy = false;
    std::size_t next_victim = 0;
  };
  /// The first, or the last, of the highest priority among the tasks that the worker can run.
  [[nodiscard]] TaskId best(std::vector<TaskId> const& tasks, LocalWorker worker, bool last) const {
    TaskId out;
    for (TaskId const t : tasks) {
      if (!runs(worker, t)) continue;
      bool const better = !out.valid() || node_.priority(t) > node_.priority(out);
      if (better || (last && node_.priority(t) == node_.priority(out))) out = t;
    }
    return out;
  }
  [[nodiscard]] TaskId own_choice(LocalWorker worker) const {
    return best(workers_[worker.index()].tasks, worker, false);
  }
  /// The task, and the last worker that was visited for it.
  [[nodiscard]] std::pair<TaskId, std::size_t> choice(LocalWorker worker) const {
    if (TaskId const own = own_choice(worker); own.valid()) return {own, worker.index()};
    std::size_t const first = workers_[worker.index()].next_victim;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      std::size_t const w = (first + i) % workers_.size();
      if (w != worker.index() && workers_[w].busy && !workers_[w].tasks.empty())
        return {best(workers_[w].tasks, worker, true), w};
    }
    return {TaskId{}, first};
  }

  std::vector<Worker> workers_;
  std::size_t next_ = 0;
};

inline std::unique_ptr<PolicyReference> policy_reference(SchedulerOptions const& options,
                                                         NodeView const& node) {
  if (options.type == "eager") return std::make_unique<EagerReference>(node);
  if (options.type == "lws") return std::make_unique<StealingReference>(node);
  return std::make_unique<DequeModelReference>(node, options);
}

}  // namespace factosim::testing
