#pragma once

#include <deque>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/darts_plan.hpp"

namespace factosim {

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
  DartsScheduler(SchedulerOptions const& options, NodeView const& node);

  void connect(Prefetcher& prefetcher) override { prefetcher_ = &prefetcher; }
  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  void finished(LocalWorker worker, TaskId task) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override;
  [[nodiscard]] EvictionPolicy* eviction() override { return this; }

 private:
  struct Queue {
    std::deque<TaskId> tasks;
    TaskId refused;  // handed out when the queue was full
  };

  Victim victim(EvictionRequest const& request) override;
  [[nodiscard]] std::size_t place_of(LocalWorker worker) const {
    return plan_.place_of(node_.workers()[worker.index()].memory);
  }
  /// Hands out tasks until the queue refuses one.
  void fill(std::size_t place);
  /// Takes the readiest task of the queue, and fills it again.
  TaskId take(std::size_t place);
  [[nodiscard]] std::size_t readiest(std::size_t place) const;

  std::size_t capacity_;
  NodeView const& node_;
  DartsPlan plan_;
  std::vector<Queue> queues_;  // [places]
  Prefetcher* prefetcher_ = nullptr;
};

}  // namespace factosim
