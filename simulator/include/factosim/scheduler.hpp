#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// How much of a task's data is missing on a memory node, in bytes.
struct Readiness {
  std::int64_t missing = 0;        // read and not valid there
  std::int64_t not_loading = 0;    // the part of `missing` that no transfer is bringing
  std::int64_t not_allocated = 0;  // without memory there
};

/// What a policy may know of its node. Workers and memory nodes are numbered within the node, from 0; GPU
/// workers come first, as in StarPU.
class NodeView {
 public:
  struct Worker {
    std::uint32_t memory = 0;  // its memory node; 0 is the RAM
    bool gpu = false;
    double busy_power = 0;  // watts above idle while a kernel runs; 0: unknown
  };

  virtual ~NodeView() = default;

  [[nodiscard]] virtual std::span<Worker const> workers() const = 0;
  [[nodiscard]] virtual std::size_t memory_node_count() const = 0;
  [[nodiscard]] virtual Seconds now() const = 0;
  [[nodiscard]] virtual int priority(TaskId task) const = 0;
  /// [workers] what the task lasts on each worker, in seconds; infinity where it cannot run.
  [[nodiscard]] virtual std::span<double const> durations(TaskId task) const = 0;
  /// [memory nodes] the predicted time, in seconds, to bring all that the task reads there.
  virtual void predict_transfers(TaskId task, std::span<double> seconds) const = 0;
  [[nodiscard]] virtual Readiness readiness(TaskId task, std::uint32_t memory) const = 0;

  // For policies that plan ahead.
  [[nodiscard]] virtual TaskGraph const& graph() const = 0;
  /// Whether the task runs on this node.
  [[nodiscard]] virtual bool runs_here(TaskId task) const = 0;
  /// The predicted time, in seconds, of one copy between two memory nodes that is alone on the bus.
  [[nodiscard]] virtual double copy_time(std::uint32_t from, std::uint32_t to, Bytes size) const = 0;
};

/// Maps ready tasks to the workers of one node. One file per policy; `policies.cpp` knows their names.
class Scheduler {
 public:
  /// Whichever worker asks first may have the task: the first one that sleeps is woken, or all of them.
  static constexpr std::uint32_t any_worker = 0xffffffffU;
  static constexpr std::uint32_t all_workers = 0xfffffffeU;

  virtual ~Scheduler() = default;

  /// A task became ready, in the worker `pusher` (`any_worker`: outside the workers). Returns the worker it
  /// is for, or `any_worker`, or `all_workers`.
  virtual std::uint32_t push(TaskId task, std::uint32_t pusher) = 0;
  /// A worker wants its next task; an invalid id if there is none for it.
  [[nodiscard]] virtual TaskId pop(std::uint32_t worker) = 0;
  /// The kernel of a popped task starts, or ends, on its worker.
  virtual void started(std::uint32_t /*worker*/, TaskId /*task*/) {}
  virtual void finished(std::uint32_t /*worker*/, TaskId /*task*/) {}

  /// Whether the inputs of a task travel to the worker that it was pushed to before that one asks for it.
  [[nodiscard]] virtual bool prefetches() const = 0;
  /// Whether a worker may find a task that was not pushed to it, so that an idle one keeps looking.
  [[nodiscard]] virtual bool shares_tasks() const = 0;
  /// Whether the policy knows priorities: without, all tasks and their transfers count as equal (StarPU
  /// clamps priorities to the policy's range, core/task.c).
  [[nodiscard]] virtual bool knows_priorities() const = 0;
};

struct SchedulerOptions {
  std::string type = "dmdas";
  double alpha = 1;            // weight of the expected end
  double beta = 1;             // weight of the predicted transfers
  double gamma = 1000;         // weight of energy: microseconds that a joule is worth
  double idle_power = 0;       // watts of the idle machine, for the energy of a longer run
  double transfer_factor = 1;  // by which predicted transfers are multiplied (pessimism)
  std::uint64_t seed = 0;      // for policies that draw
};

/// Throws std::out_of_range for a name that `scheduler_names()` does not list.
std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node);
std::vector<std::string> scheduler_names();

}  // namespace factosim
