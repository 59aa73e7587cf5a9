#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/runtime/policies/kernel_queues.hpp"

namespace factosim {

/// Heteroprio with a simulation ahead. One core only schedules: it runs a task only if no other worker can. Ready tasks
/// wait in queues by kernel, first in, first out, until the scheduling core gives them to the queue of a worker, and
/// requests their data there. As long as there are ready tasks, the worker whose queue is expected to end first decides
/// (a GPU on ties):
/// - A GPU with at most 8 waiting tasks gets its share of the ready tasks, the most accelerated first, until it has 9.
/// - A core with at most 2: the first task of the least accelerated kernel is followed in a simulation from now on, in
///   which workers run their queues and then cores take ready tasks by increasing and GPUs by decreasing acceleration. If it ends
///   there before a GPU has nothing to do, the worker that ran it gets it. Otherwise the GPU with the earliest expected
///   end gets it if the idle GPU would end it sooner, else the worker that has it in the simulation.
/// - Nobody gets a task if the worker's queue is longer.
/// A task that some worker cannot run goes to the shortest queue of one that can, when it is ready. Transfers are ignored.
///
/// Followed from the source: no task becomes ready in the simulation (that is commented out there), tasks that a worker has
/// popped and not started count in its expected end but not in the simulation, and cores and GPUs both take the tasks of
/// a kernel from the front, so that where they meet in one kernel a task can be taken twice.
/// Source: StarPU 1.5 `hplookahead.c` (STARPU_SCHED=hp-lookahead), with its scheduling core polling without delay.
class HpLookaheadScheduler final : public Scheduler {
 public:
  explicit HpLookaheadScheduler(NodeView const& node);

  void connect(Prefetcher& prefetcher) override { prefetcher_ = &prefetcher; }
  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  void started(LocalWorker worker, TaskId task) override;
  void finished(LocalWorker worker, TaskId task) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override;

 private:
  /// A worker and its queue.
  struct Queue {
    std::deque<TaskId> tasks;
    double start = 0;   // expected start of the next task, in seconds
    double queued = 0;  // expected work of the tasks in the queue, and of popped ones until they start

    [[nodiscard]] double end() const { return start + queued; }
  };
  /// A worker in the simulation ahead.
  struct Ahead {
    double start = 0;      // when it is free, in seconds
    std::size_t next = 0;  // of its queue
    TaskId task;           // that it runs until `start`
  };
  /// How far one kind of workers has come in the ready tasks.
  struct Walk {
    std::size_t queue = 0, taken = 0;
  };

  [[nodiscard]] bool is_gpu(std::size_t worker) const { return node_.workers()[worker].gpu; }
  [[nodiscard]] double duration(TaskId task, std::size_t worker) const {
    return node_.durations(task)[worker];
  }
  /// Returns whether all workers but the scheduling core can run the task, and there are such workers.
  [[nodiscard]] bool runs_on_all(TaskId task) const;
  /// Returns the worker that is free first, a GPU on ties, by `free_at`; SIZE_MAX: there is none but the scheduling core.
  template <class FreeAt>
  [[nodiscard]] std::size_t first_free(FreeAt free_at) const;

  void assign();
  bool assign_once();
  bool fill(std::size_t gpu);
  void give(TaskId task, std::size_t worker);
  void give_to_shortest(TaskId task);

  /// Returns the worker that gets the first task of the least accelerated kernel.
  std::size_t look_ahead();
  /// Returns the next task of a walk, or an invalid id.
  TaskId next_for_core();
  TaskId next_for_gpu();
  std::size_t decide_at_idle_gpu(TaskId task, std::size_t gpu) const;
  [[nodiscard]] std::size_t holder(TaskId task) const;
  void wait_for_next(double date);

  NodeView const& node_;
  KernelQueues ready_;
  std::size_t scheduling_core_;  // SIZE_MAX: the node has no core
  std::size_t gpus_ = 0;
  std::vector<Queue> queues_;  // [workers]
  Prefetcher* prefetcher_ = nullptr;
  // Of the simulation ahead:
  std::vector<Ahead> ahead_;  // [workers]
  Walk core_walk_;            // upwards
  Walk gpu_walk_;             // downwards; `queue` is the number of queues that are not below
};

}  // namespace factosim
