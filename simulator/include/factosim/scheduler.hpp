#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

class EvictionPolicy;  // eviction.hpp

/// Data of a task that is missing on a memory node, in bytes.
struct Readiness {
  std::int64_t missing = 0;        // read by the task and not valid there
  std::int64_t not_loading = 0;    // the part of `missing` that no transfer brings
  std::int64_t not_allocated = 0;  // without memory there
};

/// A node as policies see it. GPU workers come first, as in StarPU.
class NodeView {
 public:
  struct Worker {
    LocalMemory memory{0};  // its memory node; 0 is the RAM
    bool gpu = false;
    double busy_power = 0;  // watts above idle while most kernels run; 0: unknown
  };

  virtual ~NodeView() = default;

  [[nodiscard]] virtual std::span<Worker const> workers() const = 0;
  [[nodiscard]] virtual std::size_t memory_node_count() const = 0;
  [[nodiscard]] virtual Seconds now() const = 0;
  [[nodiscard]] virtual int priority(TaskId task) const = 0;
  /// Returns the mean duration of the task on each worker, in seconds: [workers]; infinity where it cannot
  /// run. Valid until the next call.
  [[nodiscard]] virtual std::span<double const> durations(TaskId task) const = 0;
  /// Returns whether the worker can run the task.
  [[nodiscard]] bool can_run(TaskId task, LocalWorker worker) const {
    return std::isfinite(durations(task)[worker.index()]);
  }
  /// Returns the power of a worker that runs the task, in watts above idle; 0: unknown.
  [[nodiscard]] virtual double busy_power(TaskId /*task*/, LocalWorker worker) const {
    return workers()[worker.index()].busy_power;
  }
  /// Fills `seconds` [memory nodes] with the predicted time to bring all data that the task reads there.
  virtual void predict_transfers(TaskId task, std::span<double> seconds) const = 0;
  [[nodiscard]] virtual Readiness readiness(TaskId task, LocalMemory memory) const = 0;

  // For policies that plan ahead.
  [[nodiscard]] virtual TaskGraph const& graph() const = 0;
  /// Returns whether the task runs on this node.
  [[nodiscard]] virtual bool runs_here(TaskId task) const = 0;
  /// Returns the predicted time of a copy between two memory nodes that is alone on the bus.
  [[nodiscard]] virtual Seconds copy_time(LocalMemory from, LocalMemory to, Bytes size) const = 0;

  // For policies that decide by data.
  /// Returns the number of replicas of the node: its data, and what it receives from others.
  [[nodiscard]] virtual std::size_t replica_count() const = 0;
  /// Returns the replica that the task accesses by its parameter `operand`, an index into `graph().accesses_of(task)`.
  [[nodiscard]] virtual LocalReplica replica(TaskId task, std::size_t operand) const = 0;
  /// Returns whether a valid copy is there or was requested.
  [[nodiscard]] virtual bool present(LocalReplica replica, LocalMemory memory) const = 0;
  /// Returns the predicted time to bring a copy there; 0 if it is present.
  [[nodiscard]] virtual Seconds transfer_time(LocalReplica replica, LocalMemory memory) const = 0;
};

/// Brings data ahead of time for policies that know a task's memory node before they assign a worker.
class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// Requests the operands of the task, as for a task that `push` has assigned to a worker of that memory node.
  virtual void prefetch(TaskId task, LocalMemory memory) = 0;
};

/// Maps ready tasks to the workers of one node. One file per policy; `policies.cpp` lists their names.
class Scheduler {
 public:
  /// The workers that are woken for a ready task.
  struct Assignment {
    enum class To : std::uint8_t {
      worker,      // the one that will run it
      first_idle,  // the first idle one that can run it; the first worker to call `pop` gets it
      idle_of_memories,  // the idle cores, and unless the only one was idle the first idle GPU, as in StarPU's modular tree
      all_workers  // all idle ones; the first worker to call `pop` gets it
    };
    To to = To::worker;
    LocalWorker worker;  // with To::worker

    bool operator==(Assignment const&) const = default;
  };
  [[nodiscard]] static constexpr Assignment to_worker(LocalWorker worker) {
    return {.to = Assignment::To::worker, .worker = worker};
  }
  [[nodiscard]] static constexpr Assignment to_first_idle() {
    return {.to = Assignment::To::first_idle, .worker = {}};
  }
  [[nodiscard]] static constexpr Assignment to_all_workers() {
    return {.to = Assignment::To::all_workers, .worker = {}};
  }

  [[nodiscard]] static constexpr Assignment to_idle_of_memories() {
    return {.to = Assignment::To::idle_of_memories, .worker = {}};
  }

  virtual ~Scheduler() = default;

  /// Called once, before the first push. The prefetcher lives as long as the policy.
  virtual void connect(Prefetcher& /*prefetcher*/) {}

  /// A task became ready. `pusher`: the worker that made it ready; an invalid id if no worker of the node
  /// did.
  virtual Assignment push(TaskId task, LocalWorker pusher) = 0;
  /// Removes and returns the next task of a worker; an invalid id if there is none for it.
  [[nodiscard]] virtual TaskId pop(LocalWorker worker) = 0;
  /// The kernel of a popped task starts, or ends, on its worker.
  virtual void started(LocalWorker /*worker*/, TaskId /*task*/) {}
  virtual void finished(LocalWorker /*worker*/, TaskId /*task*/) {}

  /// Returns whether the operands of a task are brought to its assigned worker before that worker pops it.
  [[nodiscard]] virtual bool prefetches() const = 0;
  /// Returns whether a worker may pop a task that was not assigned to it. Idle workers then keep calling
  /// `pop`.
  [[nodiscard]] virtual bool shares_tasks() const = 0;
  /// Returns whether the policy orders tasks by priority. If not, all tasks and their transfers have the same
  /// priority (StarPU clamps priorities to the policy's range, core/task.c).
  [[nodiscard]] virtual bool knows_priorities() const = 0;

  /// Appends the tasks that the policy has decided to run on that memory node and that no worker has popped, in
  /// the order in which they will probably be popped. Policies that decide when a worker pops have none.
  virtual void planned(LocalMemory /*memory*/, std::vector<TaskId>& /*tasks*/) const {}
  /// Returns the eviction policy that belongs to the scheduling policy; null: none of its own.
  [[nodiscard]] virtual EvictionPolicy* eviction() { return nullptr; }
};

/// Makes a policy of your own, once for each node. The view lives as long as the policy.
using SchedulerMaker = std::function<std::unique_ptr<Scheduler>(NodeView const& node)>;

/// A value of an option of a policy or distribution of your own.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

/// Options of the policy darts, with StarPU 1.5's variables and defaults.
struct DartsOptions {
  int queued_tasks = 2;     // tasks that wait in the queue of a memory node (STARPU_NTASKS_THRESHOLD)
  int max_tiles = 0;        // tiles among which a plan chooses; 0: all (STARPU_DARTS_THRESHOLD, 1: 200)
  int selection_order = 7;  // order of the criteria for a tile (STARPU_DARTS_DOPT_SELECTION_ORDER)
  int free_task_memory =
      2;  // which memory node gets a free task: 0 the first, 1 the one with the fewest planned
          // tasks, 2 in turns (STARPU_DARTS_PUSH_FREE_TASK_ON_GPU_WITH_LEAST_TASK_IN_PLANNED_TASK)
  bool free_tasks_first = false;     // ... before its planned tasks (STARPU_DARTS_FREE_PUSHED_TASK_POSITION)
  bool almost_free = true;           // plan tasks that miss two tiles (STARPU_DARTS_APP)
  bool priorities = true;            // priorities decide between tiles (STARPU_DARTS_PRIO)
  bool most_urgent = true;           // without a useful tile, the most urgent task; else the first one
                                     // (STARPU_DARTS_HIGHEST_PRIORITY_TASK_RETURNED_IN_DEFAULT_CASE)
  bool planned_tiles_count = false;  // tiles of planned tasks count as present (STARPU_DARTS_SIMULATE_MEMORY)
  bool present_tiles_listed = false;  // tiles that are present can be chosen
                                      // (STARPU_DARTS_CAN_A_DATA_BE_IN_MEM_AND_IN_NOT_USED_YET)
  bool as_starpu =
      true;  // with the deviations from the published rules that `runtime/policies/darts.cpp` lists
};

struct SchedulerOptions {
  std::string type = "dmdas";  // one of `scheduler_names()`; with `own` any name
  SchedulerMaker own = {};     // makes the policy instead of the one that `type` names
  std::vector<std::pair<std::string, OptionValue>> own_values = {};  // its options, for the result
  std::string where = {};           // place of its name in the input, for messages; empty: none
  double alpha = 1;                 // weight of the expected end
  double beta = 1;                  // weight of the predicted transfers
  double gamma = 1000;              // weight of energy: microseconds per joule
  double idle_power = 0;            // watts of the idle machine, for the energy of a longer run
  double transfer_factor = 1;       // multiplies the predicted time of transfers (pessimism)
  std::uint64_t seed = 0;           // for policies that draw random numbers
  bool limited_submission = false;  // a node may wait for tasks to run before it submits further ones
  DartsOptions darts = {};
};

/// Makes the policy of a node: `options.own`, or the one that `options.type` names. Throws std::out_of_range for a name that `scheduler_names()` does not list.
std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node);
std::vector<std::string> scheduler_names();

}  // namespace factosim
