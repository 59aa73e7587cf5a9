#pragma once

#include <deque>
#include <map>
#include <vector>

#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/submission.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/node_runtime.hpp"

namespace factosim {

/// Messages from their arrival to their delivery, which makes their readers ready. A message is held while a
/// task that flushes the previous copy of its tile has not run, or while RAM for it is being page-locked. The
/// communication thread of the node pushes the readers one after the other, each of which takes it the cost of a push,
/// unless the message waited for memory: then the worker that has provided it does.
/// Source: StarPU 1.4 `starpu_mpi_mpi.c` (_starpu_mpi_handle_request_termination), `core/sched_policy.c` (_starpu_push_task).
class Inbox {
 public:
  Inbox(SimulationInputs const& inputs, Engine& engine, TaskFlow& flow, Submission& submission,
        Nodes const& nodes, Messages& messages)
      : options_(inputs.options),
        engine_(engine),
        flow_(flow),
        submission_(submission),
        nodes_(nodes),
        messages_(messages),
        pushes_(nodes.count()),
        flushed_(inputs.graph.flushes_inputs.size(), false) {}

  /// Delivers the message, now or when nothing holds it any more.
  void arrived(MessageId id);
  /// The node has the tile. The readers that are ready are appended to `pushes`, those of a worker; without them the
  /// communication thread begins to push them.
  void deliver(MessageId id, std::vector<ReadyTask>* pushes = nullptr);
  /// The communication thread of the node has pushed the next reader.
  void push_next(NodeId node);
  /// The task, which flushes its inputs, has run.
  void task_flushed(TaskId task);

 private:
  RuntimeOptions const& options_;
  Engine& engine_;
  TaskFlow& flow_;
  Submission& submission_;
  Nodes const& nodes_;
  Messages& messages_;
  std::vector<TaskId> free_;                   // scratch: readers of one message
  std::vector<std::deque<ReadyTask>> pushes_;  // [nodes] the next one first, which the thread pushes now
  std::vector<bool> flushed_;              // [tasks] has run and flushed its inputs; empty: no task flushes
  std::multimap<TaskId, MessageId> held_;  // by the task that must run before
};

}  // namespace factosim
