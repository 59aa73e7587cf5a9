#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/base/core/id_table.hpp"
#include "simulator/runtime/cluster/inbox.hpp"
#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/network_transfers.hpp"
#include "simulator/runtime/cluster/submission.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/node_runtime.hpp"

namespace factosim {

/// Receives on nodes with GPUs, whose memory is page-locked, which takes time. A node posts a receive when it
/// submits the first reader of the message; the receive is ready once it has memory. The communication thread
/// of the node answers an announced message whose receive is ready. Any other message is *early*: the thread
/// requests memory for it and is blocked until it has it. Source: StarPU-MPI 1.4 `starpu_mpi_mpi.c`.
///
/// With `late_receive_buffers` a receive is ready when it is posted, and the thread allocates its memory, as
/// that of early messages, when the message is announced. Source: StarPU-MPI 1.5 `starpu_mpi.c`
/// (`_starpu_mpi_irecv_allocate`).
class PinnedReceives {
 public:
  /// The end of a transfer that a blocked communication thread has not noticed.
  struct Deferred {
    enum class End : std::uint8_t { sent, received };
    End end;
    MessageId message;
  };

  PinnedReceives(SimulationInputs const& inputs, TaskFlow& flow, Engine& engine, Submission const& submission,
                 Nodes const& nodes, Messages const& messages, NetworkTransfers& transfers, Inbox& inbox);
  /// Returns whether some node page-locks memory for what it receives.
  [[nodiscard]] static bool needed(Nodes const& nodes) {
    return nodes.any([](NodeRuntime const& node) { return node.pins_memory(); });
  }

  /// The node has submitted its tasks up to `last`: posts their receives.
  void post_until(NodeId node, TaskId last);
  /// The date of the node's next receives has come: posts them and schedules those after them.
  void post_next(NodeId node);
  /// Schedules the next receives of the node, if their barrier has been passed.
  void schedule_next(NodeId node);
  /// Nothing uses that copy on the node any more: posts the receives that overwrite it.
  void copy_dropped(NodeId node, LocalReplica replica);
  /// The task, which flushes its inputs, has run: posts the receive of the tile's next version.
  void task_flushed(TaskId task);

  /// The node can receive the message of that number. If it waited for that, its readers are pushed: see Inbox::deliver.
  void receive_ready(NodeId node, EdgeId number, bool has_memory, std::vector<ReadyTask>* pushes = nullptr);
  /// The memory that the communication thread waited for has been allocated: it answers the message and
  /// continues. Returns the ends that it has not noticed.
  std::vector<Deferred> memory_ready(MessageId id);

  /// The source announces the message to its destination, which answers when it can receive it.
  void announce(MessageId id);
  /// The announcement has reached the communication thread.
  void announced(MessageId id);
  /// Takes the next announcement of the node. The thread takes one at a time, and only while any receive is
  /// ready.
  void listen(NodeId node);

  /// Returns whether the communication thread of the node waits for memory for an early message.
  [[nodiscard]] bool blocked(NodeId node) const { return nodes_receiving_[node.index()].blocked; }
  /// Defers that end if the communication thread of the node is blocked. Returns whether it is.
  bool defer(NodeId node, Deferred end);
  /// Returns whether the message, which has arrived, was early. If so, delivers it once its receive is ready.
  bool arrived_early(MessageId id);

 private:
  struct Receive {
    EdgeId number;  // of the message
    TaskId task;    // its first reader
    std::int32_t priority;
    HandleId handle;
    LocalReplica replica;     // none: it gets a number when it arrives
    bool has_memory = false;  // of an earlier message with the same tile
  };
  /// The receives and the communication thread of one node.
  struct Receiving {
    std::vector<Receive> expected;  // of the parts of the flow so far, in the order of submission
    std::size_t posted = 0;         // of those
    int ready = 0;                  // receives with memory and without a message
    bool listening = false;         // an announcement is on its way to the thread
    bool blocked = false;
    std::deque<MessageId> announced;
    std::vector<Deferred> deferred;
  };

  /// Expects the receives of the next part of the flow. Returns whether there is one.
  bool expect_next_part();
  void expect(PlannedMessage const& message);
  /// Returns the next receive that the node posts; null without one.
  [[nodiscard]] Receive const* next(NodeId node);
  [[nodiscard]] Bytes size(Receive const& receive) const {
    return inputs_.graph.handles[receive.handle.index()].size;
  }
  void post(NodeId node, Receive const& receive);
  /// The communication thread is blocked until it has memory for the announced message.
  void allocate(MessageId id, NodeId node);
  void answer(MessageId id);
  void deliver_early(MessageId id, std::vector<ReadyTask>* pushes = nullptr);
  SimulationInputs const& inputs_;
  TaskFlow& flow_;
  Engine& engine_;
  Submission const& submission_;
  Nodes const& nodes_;
  Messages const& messages_;
  NetworkTransfers& transfers_;
  Inbox& inbox_;
  std::vector<Receiving> nodes_receiving_;  // [nodes]
  bool all_expected_ = false;               // of all parts of the flow
  IdTable<EdgeId, bool>
      ready_;  // receives whose message has not been announced, by number: whether they have memory
  std::map<std::pair<NodeId, LocalReplica>, Receive> after_copy_;  // by the copy that it overwrites
  std::multimap<TaskId, Receive> after_flush_;   // by the task that must run before it is posted
  std::unordered_map<EdgeId, MessageId> early_;  // by number; none until it has arrived
};

}  // namespace factosim
