#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// A message that the plan implies: an output of a task for the tasks on one other node that read it.
struct PlannedMessage {
  TaskId producer;
  HandleId handle;
  NodeId home;  // of the producer
  NodeId destination;
  std::int32_t priority =
      0;  // of its first reader, whose submission posts the message: StarPU-MPI starpu_mpi_task_insert.c
  TaskId first_reader;            // in submission order, as traces number tasks
  std::uint32_t uses = 0;         // by its readers, of a replica that has no number in the plan; 0: it stays
  LocalReplica replica{};         // on the destination; none: without a number in the plan
  LocalReplica source_replica{};  // of the producer, where it is not permanent: the message is a use of it
  EdgeId first{},
      last{};  // in a stored graph its readers: successors [first, last); else `first` is its number
  /// The task that flushes the previous copy of the tile on that node. The message is delivered once it has run: until
  /// then the node keeps it elsewhere (early data). None: there is no such copy.
  TaskId after{};
};

/// The dependencies of a run: which tasks wait for others only as long as a task has not run, or a message has not
/// arrived. A task is *free* when all its predecessors have run and all its messages have been delivered.
class TaskFlow {
 public:
  virtual ~TaskFlow() = default;

  /// Returns whether formulas give the tasks: the numbers of tasks are then places for the tasks that are not over,
  /// and `TaskGraph::submission` tells these apart. PlannedMessage::first_reader is then a place in the submission.
  [[nodiscard]] virtual bool by_formulas() const = 0;
  [[nodiscard]] virtual std::uint64_t task_count() const = 0;
  /// Returns whether the task is free.
  [[nodiscard]] virtual bool is_free(TaskId task) const = 0;
  /// The task has run on its node. Appends the tasks of the node that are free now, in submission order. Returns
  /// whether another node reads its outputs.
  virtual bool ended(TaskId task, NodeId node, std::vector<TaskId>& free) = 0;
  /// Appends the messages with the outputs of a task that has run on that node, by output, then by
  /// destination.
  virtual void append_messages(TaskId sender, NodeId home, std::vector<PlannedMessage>& out) const = 0;
  /// Calls `use` for the messages whose readers are in the next part of the submission: by the node of their task, then by
  /// its place in the submission. Returns false if there are none left.
  virtual bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) = 0;
  /// The message has brought the replica. Appends its readers that are free now, in submission order.
  virtual void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) = 0;
  /// The node has dropped a replica that has no number in the plan.
  virtual void dropped(NodeId node, HandleId handle, LocalReplica replica) = 0;
};

}  // namespace factosim
