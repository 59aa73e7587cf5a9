#pragma once

#include <map>
#include <vector>

#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/submission.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/node_runtime.hpp"

namespace factosim {

/// Messages from their arrival to their delivery, which makes their readers ready. A message is held while a
/// task that flushes the previous copy of its tile has not run, or while RAM for it is being page-locked.
class Inbox {
 public:
  Inbox(SimulationInputs const& inputs, Engine& engine, TaskFlow& flow, Submission& submission,
        Nodes const& nodes, Messages& messages)
      : engine_(engine),
        flow_(flow),
        submission_(submission),
        nodes_(nodes),
        messages_(messages),
        flushed_(inputs.graph.flushes_inputs.size(), false) {}

  /// Delivers the message, now or when nothing holds it any more.
  void arrived(MessageId id);
  /// The node has the tile: pushes the readers that are ready.
  void deliver(MessageId id);
  /// The task, which flushes its inputs, has run.
  void task_flushed(TaskId task);

 private:
  Engine& engine_;
  TaskFlow& flow_;
  Submission& submission_;
  Nodes const& nodes_;
  Messages& messages_;
  std::vector<TaskId> free_;               // scratch: readers of one message
  std::vector<bool> flushed_;              // [tasks] has run and flushed its inputs; empty: no task flushes
  std::multimap<TaskId, MessageId> held_;  // by the task that must run before
};

}  // namespace factosim
