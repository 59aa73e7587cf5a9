#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/engine/engine.hpp"
#include "simulator/graph/task_graph.hpp"
#include "simulator/runtime/data_manager.hpp"
#include "simulator/runtime/execution_plan.hpp"
#include "simulator/runtime/machine.hpp"
#include "simulator/runtime/options.hpp"
#include "simulator/sched/scheduler.hpp"

namespace factosim {

/// What all nodes of a simulation share and none of them changes.
struct SimulationInputs {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
  Platform const& platform;
  RuntimeOptions options;
  SchedulerOptions scheduler;
};

/// Kinds of the engine's events; the subject is a worker of the cluster, or a task.
enum class EventKind : std::uint32_t { worker_continues, driver_wakes, kernel_ends, task_submitted };

/// What a node asks of the cluster around it.
class NodeServices {
 public:
  virtual ~NodeServices() = default;
  virtual Engine& engine() = 0;
  /// A kernel has run; times of the kernel alone.
  virtual void task_ran(TaskId task, NodeId node, std::uint32_t worker, Seconds start, Seconds end) = 0;
  /// One more predecessor is done. True when the task is ready; the cluster keeps those not yet submitted.
  virtual bool predecessor_done(TaskId task) = 0;
  /// What the task wrote is in RAM and its successors elsewhere wait for it.
  virtual void send_output(TaskId task) = 0;
  /// Copies a handle between two memory nodes of that node.
  virtual void start_copy(NodeId node, std::uint32_t request, std::uint32_t from, std::uint32_t to,
                          HandleId handle) = 0;
};

/// The runtime system on one node: its scheduler, its workers and their drivers, its data.
///
/// The life of a task here: ready -> push (the policy queues it, its inputs may be prefetched) -> pop by a
/// worker
/// -> fetch its inputs -> kernel -> release: successors become ready, outputs leave.
class NodeRuntime final : public NodeView, private DataClient {
 public:
  /// `replicas`: those of this node, as numbered in the plan, in the order of their local numbers.
  NodeRuntime(NodeId id, std::span<std::uint32_t const> replicas, SimulationInputs const& inputs,
              NodeServices& services);

  /// All its predecessors are done and it is submitted.
  void push(TaskId task);
  /// The engine's events for this node.
  void worker_continues(std::uint32_t worker);
  void driver_wakes(std::uint32_t worker);
  void kernel_ends(std::uint32_t worker);
  void copy_ended(std::uint32_t request);
  /// A message has brought the replica (numbered in the plan).
  void received(std::uint32_t replica);

  [[nodiscard]] std::int64_t peak_memory_bytes() const { return peak_bytes_; }

  // NodeView
  [[nodiscard]] std::span<Worker const> workers() const override { return type_.workers; }
  [[nodiscard]] std::size_t memory_node_count() const override { return type_.gpus + 1; }
  [[nodiscard]] Seconds now() const override { return engine_.now(); }
  [[nodiscard]] int priority(TaskId task) const override { return inputs_.graph.priority[task.index()]; }
  [[nodiscard]] std::span<double const> durations(TaskId task) const override {
    return inputs_.machine.durations(id_, inputs_.graph.kernel[task.index()]);
  }
  void predict_transfers(TaskId task, std::span<double> seconds) const override;
  [[nodiscard]] Readiness readiness(TaskId task, std::uint32_t memory) const override;

 private:
  /// What every worker has: the tasks it made ready and still has to push.
  struct Releases {
    std::vector<TaskId> ready;
    std::size_t next = 0;
    double extra_cost = 0;  // before the next push, seconds
    [[nodiscard]] bool pending() const { return next < ready.size(); }
  };
  struct CpuWorker {
    TaskId task;  // being fetched for, or running
    std::uint32_t next_operand = 0;
    bool pushing = false;  // spending the time of a push
    Seconds kernel_start;
    Releases releases;
  };
  /// What a GPU's driver does once it has spent the time it is spending.
  enum class Resume : std::uint8_t { nothing, push, launch, submit, synchronous_end };
  struct GpuWorker {
    TaskId fetching;             // popped, its inputs on their way
    std::uint32_t missing = 0;   // inputs of `fetching` still to come
    std::vector<TaskId> stream;  // launched, first one first
    std::size_t done = 0;        // how many of them have ended without the driver having noticed
    Seconds kernel_start;        // of the kernel that runs
    struct Ended {
      Seconds start, end;
    };
    std::vector<Ended> ended;  // [done]
    bool busy = false;         // the driver is spending time
    bool woken = false;        // a round is scheduled for now
    bool driving = false;      // a round is being made
    bool round_paid = false;   // this round of data management has been paid for
    Resume resume = Resume::nothing;
    TaskId launching;
    std::uint32_t request = 0;  // to submit to the bus
    Releases releases;
  };

  // node_runtime.cpp: what all workers share
  void set_idle(std::uint32_t worker, bool idle);
  [[nodiscard]] bool is_idle(std::uint32_t worker) const {
    return (idle_[worker / 32] >> (worker % 32) & 1U) != 0;
  }
  void wake(std::uint32_t worker);
  void wake_any(TaskId task);
  [[nodiscard]] TaskId pop(std::uint32_t worker);
  void release(TaskId task, std::uint32_t worker, Seconds start, Seconds end, Releases& releases);
  void send(TaskId task);
  [[nodiscard]] std::uint32_t written_replica(TaskId task) const;
  void release_data(TaskId task, std::uint32_t memory);
  void push_next(Releases& releases);
  void prefetch(TaskId task, std::uint32_t memory);
  /// Time before the next push; 0 when nothing is to be pushed or spent.
  [[nodiscard]] double release_time(Releases& releases) const;
  [[nodiscard]] double duration(TaskId task, std::uint32_t worker) const { return durations(task)[worker]; }
  [[nodiscard]] std::uint32_t local(std::uint32_t replica) const {
    return inputs_.plan.replica_local[replica];
  }
  [[nodiscard]] std::span<std::uint32_t const> replicas_of(TaskId task) const {
    return inputs_.plan.replicas_of(inputs_.graph, task);
  }
  [[nodiscard]] std::int32_t request_priority(TaskId task) const {
    return scheduler_->knows_priorities() ? priority(task) : 0;
  }
  void after(double delay, EventKind kind, std::uint32_t worker);
  void data_arrived(Waiter waiter) override;
  /// Schedules a round for now: at once would be in the middle of what the caller is changing.
  void wake_driver(std::uint32_t memory) override;
  void start_copy(std::uint32_t request, std::uint32_t from, std::uint32_t to,
                  std::uint32_t replica) override {
    services_.start_copy(id_, request, from, to, handles_[replica]);
  }

  // cpu_worker.cpp
  void run_cpu(std::uint32_t worker);
  void fetch_for_cpu(std::uint32_t worker);
  void cpu_kernel_ends(std::uint32_t worker);
  [[nodiscard]] CpuWorker& cpu(std::uint32_t worker) { return cpus_[worker - type_.gpus]; }

  // gpu_driver.cpp
  void drive(std::uint32_t gpu);
  /// Does the first thing there is to do; false when there is nothing.
  bool drive_once(std::uint32_t gpu);
  bool drive_releases(std::uint32_t gpu);
  bool drive_launch(std::uint32_t gpu);
  bool drive_finish(std::uint32_t gpu);
  bool drive_data(std::uint32_t gpu);
  bool drive_pop(std::uint32_t gpu);
  void fetch_for_gpu(std::uint32_t gpu, TaskId task);
  void run_synchronously(std::uint32_t gpu, TaskId task);
  void start_next_kernel(std::uint32_t gpu);
  void gpu_kernel_ends(std::uint32_t gpu);
  void spend(std::uint32_t gpu, double seconds, Resume resume);
  void resume(std::uint32_t gpu);
  [[nodiscard]] bool blocks_driver(TaskId task) const {
    return inputs_.options.gpu_pipeline == 0 || !inputs_.graph.kernel_of(task).asynchronous_on_gpu;
  }
  [[nodiscard]] double malloc_time();

  NodeId id_;
  SimulationInputs const& inputs_;
  NodeServices& services_;
  Engine& engine_;
  Machine::Type const& type_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<DataManager> data_;       // only where there are GPUs; else all is in RAM
  std::vector<HandleId> handles_;         // [local replicas]
  std::vector<std::uint32_t> uses_left_;  // [local replicas] accesses still to come
  std::vector<GpuWorker> gpus_;
  std::vector<CpuWorker> cpus_;
  std::vector<std::uint32_t> idle_;  // [workers / 32] bits: waits for a task
  double malloc_free_at_ = 0;        // the GPUs' allocator serves one at a time
  std::int64_t bytes_in_use_ = 0;    // in RAM: owned tiles and received ones still needed
  std::int64_t peak_bytes_ = 0;
};

}  // namespace factosim
