#include "simulator/runtime/policies/policies.hpp"

#include <deque>
#include <tuple>
#include <utility>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/darts_plan.hpp"

namespace factosim {

namespace {

/// DARTS with its eviction, least used in the future. Each memory node has a short queue of tasks that its plan has
/// handed out (DartsPlan). The data of a task are prefetched when it enters the queue; a worker takes the task of the
/// queue with the fewest bytes missing, then the queue is filled again. Several workers of one memory node take tasks
/// as StarPU's components do: the worker takes one and puts a second one at the front of the queue.
/// Source: StarPU 1.5 `darts.c`, `modular_ez.c`, `component_fifo.c`, `component_eager.c`.
///
/// With `as_starpu`, what StarPU 1.5.0 (3f3cc82a6) does beside the published rules: the transfer of a tile is predicted
/// to the memory node with the number of the place, which is another one where no core runs tasks; of the planned
/// tasks that need an evicted tile only the first is planned anew, and it still counts as planned; the tiles of a task
/// that is free when it becomes ready keep its length. Not copied: when a tile is evicted from one GPU, StarPU marks a
/// wrong element as unused by the others, outside of the array, which may end its run.
class DartsScheduler final : public Scheduler, private EvictionPolicy {
 public:
  DartsScheduler(SchedulerOptions const& options, NodeView const& node)
      : capacity_(static_cast<std::size_t>(options.darts.queued_tasks)),
        node_(node),
        plan_(options.darts, node),
        queues_(plan_.places().size()) {}

  void connect(Prefetcher& prefetcher) override { prefetcher_ = &prefetcher; }
  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    plan_.add(task);
    return to_idle_of_memories();
  }
  TaskId pop(LocalWorker worker) override {
    std::size_t const place = place_of(worker);
    TaskId const task = take(place, worker);
    if (!task.valid() || plan_.places()[place].workers == 1) return task;
    if (TaskId const second = take(place, worker); second.valid()) queues_[place].tasks.push_front(second);
    return task;
  }
  using EvictionPolicy::finished;
  void finished(LocalWorker worker, TaskId task) override { plan_.finished(task, place_of(worker)); }
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override {
    std::size_t const place = plan_.place_of(memory);
    Queue const& queue = queues_[place];
    tasks.insert(tasks.end(), queue.tasks.begin(), queue.tasks.end());
    if (queue.refused.valid()) tasks.push_back(queue.refused);
    plan_.append_planned(place, tasks);
  }
  [[nodiscard]] EvictionPolicy* eviction() override { return this; }

 private:
  struct Queue {
    std::deque<TaskId> tasks;
    TaskId refused;  // handed out when the queue was full
  };

  Victim victim(EvictionRequest const& request) override {
    LocalReplica const chosen = plan_.victim(request);
    return chosen.valid() ? copy(chosen) : none();
  }
  [[nodiscard]] std::size_t place_of(LocalWorker worker) const {
    return plan_.place_of(node_.workers()[worker.index()].memory);
  }
  /// Returns the next task of the plan, which the queue may have refused before.
  TaskId next(std::size_t place) {
    TaskId& refused = queues_[place].refused;
    return refused.valid() ? std::exchange(refused, TaskId{}) : plan_.next(place);
  }
  void enqueue(TaskId task, std::size_t place) {
    queues_[place].tasks.push_back(task);
    if (prefetcher_ != nullptr) prefetcher_->prefetch(task, plan_.places()[place].memory);
  }
  /// Hands out tasks until the queue refuses one.
  void fill(std::size_t place) {
    Queue& queue = queues_[place];
    for (TaskId task = next(place); task.valid(); task = next(place)) {
      if (queue.tasks.size() >= capacity_) {
        queue.refused = task;
        return;
      }
      enqueue(task, place);
    }
  }

  /// Takes the readiest task of the queue that the worker can run, and fills the queue again. Tasks that it cannot run,
  /// which other workers of its memory can, do not keep it from those behind them in the plan.
  TaskId take(std::size_t place, LocalWorker worker) {
    auto& tasks = queues_[place].tasks;
    if (tasks.empty()) fill(place);
    std::size_t best = readiest(place, worker);
    while (best == tasks.size()) {
      TaskId const task = next(place);
      if (!task.valid()) return {};
      enqueue(task, place);
      if (!node_.can_run(task, worker)) ++best;
    }
    TaskId const task = tasks[best];
    tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(best));
    fill(place);
    return task;
  }

  /// Of the tasks that the worker can run, the one with the fewest bytes missing, not being loaded, without memory; then the
  /// most urgent, then the first; the number of tasks if there is none.
  /// Source: StarPU 1.5 `fifo_queues.c` (starpu_st_fifo_taskq_pop_first_ready_task_ready_first).
  [[nodiscard]] std::size_t readiest(std::size_t place, LocalWorker worker) const {
    auto const& tasks = queues_[place].tasks;
    std::size_t best = tasks.size();
    std::tuple<std::int64_t, std::int64_t, std::int64_t, int> least;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!node_.can_run(tasks[i], worker)) continue;
      Readiness const r = node_.readiness(tasks[i], plan_.places()[place].memory);
      std::tuple const rank(r.missing, r.not_loading, r.not_allocated, -node_.priority(tasks[i]));
      bool const first = best == tasks.size();
      if (!first && rank >= least) continue;
      bool const fewer = first || r.missing < std::get<0>(least);
      least = rank;
      best = i;
      if (fewer && r.missing == 0 && r.not_allocated == 0)
        break;  // a later one that is as ready is not looked at
    }
    return best;
  }

  std::size_t capacity_;
  NodeView const& node_;
  DartsPlan plan_;
  std::vector<Queue> queues_;  // [places]
  Prefetcher* prefetcher_ = nullptr;
};

}  // namespace

std::vector<PolicyKind> darts_policies() {
  return {{"darts", made_with_options<DartsScheduler>,
           "plans by tile: the transfer that unlocks most work; evicts what is least used in the future"}};
}

}  // namespace factosim
