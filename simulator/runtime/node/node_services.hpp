#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "factosim/scheduler.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/host_memory.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/runtime/policies/recorded.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The constant inputs of a simulation, shared by all nodes.
struct SimulationInputs {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
  Platform const& platform;
  RuntimeOptions options;
  SchedulerOptions scheduler;
  NoiseOptions noise = {};
  Recording const* recording = nullptr;  // of the run to replay; null: none
  /// Makes the policy of each node, unless a run is replayed.
  std::function<std::unique_ptr<Scheduler>(SchedulerOptions const&, NodeView const&)> make_policy =
      make_scheduler;
};

/// Kinds of the engine's events; the subject is a worker of the cluster, a task, or a message.
enum class EventKind : std::uint32_t {
  worker_continues,
  kernel_ends,
  task_submitted,
  submission_continues,
  message_submitted,
  sends_start,
  message_posted,
  message_starts,
  message_announced,
  message_received,
  message_delivered,
  reader_pushed,
  receives_submitted,
  barrier_passed,
  transfer_ended,
  receive_allocated
};

[[nodiscard]] inline Event event(EventKind kind, std::uint32_t subject) {
  return {static_cast<std::uint32_t>(kind), subject};
}

/// A task that is ready, and whose message has made it so; no producer: the task that its worker has run.
struct ReadyTask {
  TaskId task;
  TaskId producer{};
};

/// The services that the cluster offers to each of its nodes.
class NodeServices {
 public:
  virtual ~NodeServices() = default;
  virtual Engine& engine() = 0;
  /// A kernel has run; the dates are those of the kernel alone. `work`: as of KernelStream::Ended.
  virtual void task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end,
                        Seconds work) = 0;
  /// The task has run: appends the tasks of the node that are ready now; those that are not submitted yet are
  /// kept by the cluster. Returns the number of messages with its outputs.
  virtual std::size_t task_ended(TaskId task, NodeId node, std::vector<ReadyTask>& ready) = 0;
  /// Nothing on the node uses the replica any more.
  virtual void replica_dropped(NodeId node, HandleId handle, LocalReplica replica) = 0;
  /// The outputs of a task of the node are in RAM, or in the memory of a GPU that they leave.
  virtual void send_output(TaskId sender, NodeId node, bool from_gpu) = 0;
  /// Returns whether some of its outputs are held until a barrier has been passed.
  [[nodiscard]] virtual bool holds_output(TaskId sender, NodeId node) = 0;
  /// Starts a copy between two memory nodes of the node.
  virtual void start_copy(NodeId node, RequestId request, LocalMemory from, LocalMemory to,
                          HandleId handle) = 0;
  /// The memory that was requested is there. Appends the tasks that this makes ready: of a message that waited for it.
  virtual void buffer_ready(NodeId node, BufferRequest const& request, std::vector<ReadyTask>& ready) = 0;
};

}  // namespace factosim
