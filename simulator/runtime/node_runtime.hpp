#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "factosim/scheduler.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/engine/engine.hpp"
#include "simulator/plan/execution_plan.hpp"
#include "simulator/plan/machine.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/data_manager.hpp"
#include "simulator/runtime/host_memory.hpp"
#include "simulator/runtime/noise.hpp"
#include "simulator/runtime/receive_buffers.hpp"
#include "simulator/runtime/replay_oracle.hpp"
#include "simulator/runtime/run_observer.hpp"

namespace factosim {

/// What all nodes of a simulation share and none of them changes.
struct SimulationInputs {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
  Platform const& platform;
  RuntimeOptions options;
  SchedulerOptions scheduler;
  NoiseOptions noise = {};
  Recording const* recording = nullptr;  // of the run to replay; null: none
};

/// What to do about a node without enough RAM.
inline constexpr std::string_view memory_advice =
    "Use more nodes, a distribution that gives this one fewer tiles, or a smaller matrix; or set "
    "runtime/out_of_core, which counts the excess and charges no time for it";

/// Kinds of the engine's events; the subject is a worker of the cluster, a task, or a message.
enum class EventKind : std::uint32_t {
  worker_continues,
  kernel_ends,
  task_submitted,
  message_starts,
  message_announced,
  message_delivered,
  receives_submitted,
  barrier_passed,
  transfer_ended
};

[[nodiscard]] inline Event event(EventKind kind, std::uint32_t subject) {
  return {static_cast<std::uint32_t>(kind), subject};
}

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
  /// The memory that was wanted is there.
  virtual void buffer_ready(NodeId node, ReceiveBuffers::Wish const& wish) = 0;
};

/// The runtime system on one node: its scheduler, its workers and their drivers, its data.
///
/// The life of a task here: ready -> push (the policy queues it, its inputs may be prefetched) -> pop by a
/// worker
/// -> fetch its inputs -> kernel -> release: successors become ready, outputs leave.
class NodeRuntime final : public NodeView, private DataClient {
 public:
  NodeRuntime(NodeId id, SimulationInputs const& inputs, NodeServices& services, ReplayOracle& replay,
              RunObserver& observer);

  /// All its predecessors are done and it is submitted. `pusher`: the worker whose task was the last of them,
  /// or Scheduler::any_worker.
  void push(TaskId task, std::uint32_t pusher);
  /// The engine's events for this node.
  void worker_continues(std::uint32_t worker);
  void kernel_ends(std::uint32_t worker);
  void copy_ended(std::uint32_t request);
  /// A message has brought the replica (numbered in the plan); `again`: after it had been flushed. Throws
  /// InfeasibleError where the RAM is full and tiles must fit.
  void received(ReplicaId replica, bool again);
  /// Page-locked RAM for what is received, where `pins_memory`.
  [[nodiscard]] bool pins_memory() const { return buffers_.has_value(); }
  void want_buffer(ReceiveBuffers::Wish wish);
  void give_back_buffer(Bytes size) { buffers_->give_back(size); }
  /// What RAM costs here.
  [[nodiscard]] HostMemory& host_memory() { return host_memory_; }
  /// A message with the replica (numbered in the plan), which does not stay, has arrived elsewhere.
  void sent(ReplicaId replica) { release_use(replica); }

  [[nodiscard]] std::int64_t peak_memory_bytes() const { return peak_bytes_; }
  /// By how much that exceeds the RAM; 0 where it fits.
  [[nodiscard]] std::int64_t over_memory_bytes() const;

  // NodeView
  [[nodiscard]] std::span<Worker const> workers() const override { return type_.workers; }
  [[nodiscard]] std::size_t memory_node_count() const override { return type_.rams + type_.gpus; }
  [[nodiscard]] Seconds now() const override { return engine_.now(); }
  [[nodiscard]] int priority(TaskId task) const override { return inputs_.graph.priority[task.index()]; }
  [[nodiscard]] std::span<double const> durations(TaskId task) const override {
    return inputs_.machine.durations(id_, inputs_.graph.kernel[task.index()]);
  }
  void predict_transfers(TaskId task, std::span<double> seconds) const override;
  [[nodiscard]] Readiness readiness(TaskId task, std::uint32_t memory) const override;
  [[nodiscard]] TaskGraph const& graph() const override { return inputs_.graph; }
  [[nodiscard]] bool runs_here(TaskId task) const override { return inputs_.plan.runs_on(task, id_); }
  [[nodiscard]] double copy_time(std::uint32_t from, std::uint32_t to, Bytes size) const override;

 private:
  /// What a worker still has to do about the task that it ran last.
  struct Releases {
    std::vector<TaskId> ready;  // to push
    std::size_t next = 0;
    TaskId unused;  // then: nothing on this GPU will use what that task wrote
    [[nodiscard]] bool pending() const { return next < ready.size(); }
  };
  /// What is known of a replica.
  struct Held {
    std::uint32_t uses_left;  // accesses, and sends of what does not stay
    bool owned;               // it stays
    bool present;             // in RAM
    bool buffered;            // in a receive buffer
  };
  /// The driver of a worker and what it is at.
  struct Driver {
    enum class Stage : std::uint8_t {
      begin,
      finish,
      progress,
      wishes,
      buffers,
      transfers,
      pop,
      acquire,
      end
    };
    /// What is done once it has spent the time it is spending.
    enum class Then : std::uint8_t { nothing, push, write_back, launch, buffer, submit, finish };
    struct Times {
      Seconds start, end;
    };

    Stage stage = Stage::begin;
    Then then = Then::nothing;
    bool busy = false;        // spending time
    bool waiting = true;      // to be signalled
    bool signalled = false;   // since this round began
    bool progressed = false;  // this round has done something
    bool asleep = true;       // found no task when it last looked
    bool kept_awake = false;  // told since that there may be one

    TaskId fetching;                 // popped, its inputs on their way
    std::uint32_t missing = 0;       // inputs of `fetching` still to come
    std::uint32_t next_operand = 0;  // of `fetching`, to ask for
    TaskId launching;                // being launched, or running without a stream
    std::vector<TaskId> stream;      // launched, first one first
    std::size_t done = 0;            // how many of them have ended without the driver having noticed
    std::vector<Times> ended;        // [done]
    Seconds kernel_start;            // of the kernel that runs
    double last_end = 0;             // of the kernel before, in seconds
    std::uint32_t request = 0;       // to submit to the bus
    std::vector<ReceiveBuffers::Wish> wishes;  // taken, the first one last
    Seconds wishes_taken;                      // when
    Releases releases;
  };

  // node_runtime.cpp: tasks and data
  void release(TaskId task, std::uint32_t worker, Seconds start, Seconds end);
  void send(TaskId task);
  /// Bytes that come into the RAM, or leave it.
  void change_memory(std::int64_t by);
  [[noreturn]] void fail_without_memory() const;
  [[nodiscard]] std::uint32_t written_replica(TaskId task) const;
  void release_data(TaskId task, std::uint32_t memory);
  /// One use less; a replica that nothing needs and that does not stay is gone.
  void release_use(ReplicaId plan_replica);
  [[nodiscard]] Bytes size_of(ReplicaId plan_replica) const {
    return inputs_.graph.handles[inputs_.plan.handle_of(plan_replica).index()].size;
  }
  /// The task is about to write the replica without reading it: its place in RAM is taken now. Returns how
  /// long the worker is busy with that.
  double take_place(ReplicaId plan_replica);
  void grow_memory(ReplicaId plan_replica);
  void prefetch(TaskId task, std::uint32_t memory);
  /// What the task's kernel, which starts on the worker, lasts; policies only know the means.
  [[nodiscard]] double duration(TaskId task, std::uint32_t worker) {
    if (auto const recorded = replay_.duration(task, type_.workers[worker].gpu)) return recorded->value;
    return noise_ ? noise_->duration(inputs_.graph.submission_number(task),
                                     inputs_.graph.kernel[task.index()], worker)
                  : durations(task)[worker];
  }
  [[nodiscard]] std::uint32_t local(ReplicaId replica) const { return replica.value() - first_replica_; }
  [[nodiscard]] ReplicaId in_plan(std::uint32_t local) const { return ReplicaId{first_replica_ + local}; }
  [[nodiscard]] std::span<ReplicaId const> replicas_of(TaskId task) const {
    return inputs_.plan.replicas_of(inputs_.graph, task);
  }
  [[nodiscard]] std::int32_t request_priority(TaskId task) const {
    return scheduler_->knows_priorities() ? priority(task) : 0;
  }
  [[nodiscard]] Event event(EventKind kind, std::uint32_t worker) const {
    return {static_cast<std::uint32_t>(kind), inputs_.machine.first_worker[id_.index()] + worker};
  }
  void after(double delay, EventKind kind, std::uint32_t worker) {
    engine_.after(Seconds{delay}, event(kind, worker));
  }
  void data_arrived(Waiter waiter) override;
  void start_copy(std::uint32_t request, std::uint32_t from, std::uint32_t to,
                  std::uint32_t replica) override {
    services_.start_copy(id_, request, from, to, inputs_.plan.handle_of(in_plan(replica)));
  }
  void place_changed(std::uint32_t replica, std::uint32_t memory, bool taken) override {
    place_changed(in_plan(replica), memory, taken);
  }

  void place_changed(ReplicaId replica, std::uint32_t memory, bool taken) {
    observer_.place_changed(id_, memory, replica, inputs_.plan.handle_of(replica), engine_.now(), taken);
  }

  // driver.cpp: what a worker does
  /// Something happened that concerns the driver: it makes another round.
  void signal(std::uint32_t worker);
  /// Signals all drivers that look after that memory node.
  void signal_memory(std::uint32_t memory, bool keep_awake);
  /// There may be a task for the worker. True if it slept and nobody had told it yet.
  bool wake(std::uint32_t worker);
  /// Wakes workers that can run the task until one of them really slept.
  void wake_first(TaskId task);
  void wake_driver(std::uint32_t memory) override;
  void spend(std::uint32_t worker, double seconds, Driver::Then then);
  /// Lets transfers progress for a while.
  void make_progress(std::uint32_t worker);
  void advance(std::uint32_t worker);
  void launch_fetched(std::uint32_t worker);
  void start_next_kernel(std::uint32_t worker);
  /// For how long the task's kernel, which could start now, does not start since a recording says so.
  [[nodiscard]] double pause_before(TaskId task, std::uint32_t worker);
  void finish_first(std::uint32_t worker);
  bool push_released(std::uint32_t worker);
  void write_back(std::uint32_t worker);
  void take_wishes(std::uint32_t worker);
  /// Allocates for the first wish taken; false when none is left for this round.
  bool provide_buffer(std::uint32_t worker);
  void buffer_provided(std::uint32_t worker);
  /// A core or a GPU's driver looks after the first RAM, where messages arrive.
  [[nodiscard]] bool drives_ram(std::uint32_t worker) const {
    return type_.workers[worker].gpu || type_.workers[worker].memory == 0;
  }
  void wake_for_buffers();
  /// Completes and starts transfers; true while there was one to start.
  bool make_transfers_progress(std::uint32_t worker);
  void pop(std::uint32_t worker);
  bool acquire_operands(std::uint32_t worker);
  [[nodiscard]] double progress_time(std::uint32_t worker) const;
  [[nodiscard]] double allocator_time(DataManager::Step const& step);
  [[nodiscard]] std::size_t pipeline_depth(std::uint32_t worker) const {
    return type_.workers[worker].gpu ? static_cast<std::size_t>(std::max(1, inputs_.options.gpu_pipeline))
                                     : 1;
  }
  /// The kernel runs in the driver itself, which does nothing else meanwhile.
  [[nodiscard]] bool blocks_driver(std::uint32_t worker, TaskId task) const {
    return !type_.workers[worker].gpu || inputs_.options.gpu_pipeline == 0 ||
           !inputs_.graph.kernel_of(task).asynchronous_on_gpu;
  }

  NodeId id_;
  SimulationInputs const& inputs_;
  NodeServices& services_;
  Engine& engine_;
  ReplayOracle& replay_;
  RunObserver& observer_;
  Machine::Type const& type_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<Noise> noise_;             // only where kernels last anything but their means
  std::optional<DataManager> data_;        // only where there are GPUs; else all is in RAM
  std::optional<ReceiveBuffers> buffers_;  // only where there are GPUs and other nodes
  std::uint32_t first_replica_;            // of this node in the plan
  std::vector<Held> held_;                 // [local replicas]
  std::vector<Driver> drivers_;            // [workers]
  HostMemory host_memory_;
  std::vector<std::uint32_t> outputs_;  // scratch: what a task writes for other nodes
  std::unordered_map<std::uint32_t, std::size_t> outputs_to_fetch_;  // task that wrote several -> not in RAM
  double allocator_free_at_ = 0;   // the GPUs' allocator serves one at a time
  std::int64_t bytes_in_use_ = 0;  // in RAM: owned tiles and received ones still needed
  std::int64_t peak_bytes_ = 0;
  std::int64_t max_bytes_;  // that `peak_bytes_` may reach
};

}  // namespace factosim
