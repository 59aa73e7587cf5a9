#pragma once

#include <boost/dynamic_bitset.hpp>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/cluster/inbox.hpp"
#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/network_transfers.hpp"
#include "simulator/runtime/cluster/pinned_receives.hpp"
#include "simulator/runtime/cluster/submission.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/host_memory.hpp"
#include "simulator/runtime/node/node_runtime.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

/// The communication threads of all nodes, where messages take processor time in them: one message at a time,
/// when it is sent and when it is received.
class CommunicationThreads {
 public:
  CommunicationThreads(Platform const& platform, Engine const& engine, Nodes const& nodes)
      : platform_(platform), engine_(engine), nodes_(nodes), threads_(nodes.count()) {}
  /// Returns whether messages take time in the thread of any node.
  [[nodiscard]] static bool needed(Platform const& platform) {
    return platform.nodes.size() > 1 && std::ranges::any_of(platform.nodes, [&](std::uint32_t type) {
             return platform.types[type].communication.handles_messages();
           });
  }

  /// The node is given a message to send, or has received one. Returns when its thread has handled it: after
  /// that time.
  [[nodiscard]] Seconds handle(NodeId node, Bytes size) {
    Seconds const needed = platform_.type_of(node).communication.time_of(size);
    return threads_[node.index()].serve(nodes_[node].communicate(needed), engine_.now());
  }
  /// Returns the time that another thread of the node takes to post a message.
  [[nodiscard]] Seconds elsewhere(NodeId node, Bytes size) const {
    return platform_.type_of(node).communication.time_of(size);
  }

 private:
  Platform const& platform_;
  Engine const& engine_;
  Nodes const& nodes_;
  std::vector<SerialServer> threads_;  // [nodes]
};

/// Decides which node sends each message, the producer or a node of its broadcast, and when: the most urgent
/// first, a limited number at a time per node and over all nodes.
class Outbox {
 public:
  /// `receives` may be null: no node page-locks memory; `threads` too: messages take no time of processors.
  Outbox(SimulationInputs const& inputs, Engine& engine, Submission& submission, Nodes const& nodes,
         Messages& messages, NetworkTransfers& transfers, PinnedReceives* receives,
         CommunicationThreads* threads)
      : inputs_(inputs),
        engine_(engine),
        submission_(submission),
        nodes_(nodes),
        messages_(messages),
        transfers_(transfers),
        receives_(receives),
        threads_(threads),
        queues_(nodes.count()),
        awake_(nodes.count()) {}

  /// Queues messages with one output of a task of node `home`, on that node or as the broadcast distributes
  /// them. Reorders `messages`.
  void spread(std::vector<MessageId>& messages, NodeId home);
  /// A message that was not posted on both ends may be now.
  void submitted(MessageId id);
  /// Nothing uses that copy on the node any more: what overwrites it may be received.
  void copy_dropped(NodeId node, LocalReplica replica);
  /// The communication thread of the node looks at its queue, behind all that was queued at that date: the most urgent first.
  void wake(NodeId node);
  /// Starts messages of the node's queue up to the limits.
  void start_sends(NodeId node);
  /// The communication thread has given the message to the network.
  void post(MessageId id);
  /// The receiver of the message forwards it to the next nodes of its broadcast.
  void forward(MessageId id);
  /// The network has delivered the message: it is no longer in flight and no longer uses its replica.
  void sent(MessageId id);
  /// The communication thread of the node has noticed the end of a send.
  void end_send(NodeId node) { queues_[node.index()].end(); }
  /// Starts sends of node `first`, and before it, if the network limits messages, those of the other nodes in
  /// cyclic order.
  void start_delayed_sends(NodeId first);

 private:
  /// Messages with one output. Every node that has received it sends some of them.
  struct CooperativeSend {
    std::vector<MessageId> left;  // not queued on any node, the most urgent last
    std::uint32_t users = 0;      // messages that refer to it
  };

  [[nodiscard]] std::int32_t priority(MessageId id) const {
    return inputs_.options.sends_by_priority ? messages_[id].plan.priority : 0;
  }
  /// The node will send the message: once it is posted.
  void queue(MessageId id, NodeId source);
  void push(MessageId id, NodeId source);
  /// Returns whether the message has to wait for the copy of its tile that its receiver uses.
  [[nodiscard]] bool waits_for_copy(MessageId id);
  /// Chooses the memory where the message arrives. Returns how long its receiver needs to make room there.
  Seconds choose_arrival(MessageId id);
  void spread_in_tree(std::vector<MessageId> const& messages, NodeId home);
  void spread_cooperatively(std::vector<MessageId> const& messages, NodeId home);
  /// Queues the most urgent message of the broadcast that no node sends yet.
  void cooperate(BroadcastId broadcast, NodeId node);
  [[nodiscard]] bool network_admits() const {
    return inputs_.options.max_sends == 0 || in_flight_ < inputs_.options.max_sends;
  }

  SimulationInputs const& inputs_;
  Engine& engine_;
  Submission& submission_;
  Nodes const& nodes_;
  Messages& messages_;
  NetworkTransfers& transfers_;
  PinnedReceives* receives_;
  CommunicationThreads* threads_;
  std::vector<SendQueue<MessageId>> queues_;  // [nodes]
  boost::dynamic_bitset<> awake_;             // [nodes] whose thread will look at its queue at this date
  int in_flight_ = 0;                         // messages being sent, of all nodes
  IdPool<BroadcastId, CooperativeSend> cooperative_;
  std::map<std::pair<NodeId, LocalReplica>, std::vector<MessageId>>
      waiting_;  // for the copy before to be dropped
};

/// The dependencies of a stored task graph.
class StoredFlow final : public TaskFlow {
 public:
  /// The graph, the plan and the options of the inputs must outlive this.
  explicit StoredFlow(SimulationInputs const& inputs)
      : inputs_(inputs), predecessors_left_(inputs.graph.predecessors) {}

  [[nodiscard]] bool by_formulas() const override { return false; }
  [[nodiscard]] std::uint64_t task_count() const override { return inputs_.graph.task_count(); }
  [[nodiscard]] bool is_free(TaskId task) const override { return predecessors_left_[task.index()] == 0; }
  bool ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId task, NodeId home, std::vector<PlannedMessage>& out) const override;
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override;
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId /*node*/, HandleId /*handle*/, LocalReplica /*replica*/) override {}

 private:
  /// One more predecessor of the task has run, or its message has been delivered. Returns whether the task is free.
  bool count_predecessor(TaskId task) {
    FACTOSIM_EXPECT(predecessors_left_[task.index()] > 0, "a task has more predecessors than were counted");
    return --predecessors_left_[task.index()] == 0;
  }
  [[nodiscard]] PlannedMessage message(TaskId task, NodeId home, EdgeId first, EdgeId last) const;

  SimulationInputs const& inputs_;
  std::vector<std::uint32_t> predecessors_left_;  // [tasks]
  bool told_readers_ = false;                     // all of them are one part
};

/// Creates messages with the outputs of tasks, one for each node where successors read one. Messages whose
/// first reader is behind a barrier are created when it is passed.
class Outputs {
 public:
  Outputs(SimulationInputs const& inputs, TaskFlow const& flow, Submission const& submission,
          Nodes const& nodes, Messages& messages, Outbox& outbox)
      : inputs_(inputs),
        flow_(flow),
        submission_(submission),
        nodes_(nodes),
        messages_(messages),
        outbox_(outbox) {}

  /// Sends the outputs of a task of the node. `from_gpu`: they are in the memory of a GPU and leave it, else they are
  /// in RAM.
  void send(TaskId sender, NodeId home, bool from_gpu);
  /// Returns the number of messages with the outputs of a task of the node.
  [[nodiscard]] std::size_t count(TaskId sender, NodeId home) { return planned(sender, home).size(); }
  /// Returns whether some of its outputs are held until a barrier has been passed.
  [[nodiscard]] bool are_held(TaskId sender, NodeId home);
  /// Sends the outputs that were held until the barrier that has been passed.
  void send_held();

 private:
  [[nodiscard]] bool behind_barrier(PlannedMessage const& message) const {
    return !inputs_.graph.barriers.empty() && submission_.part().behind_barrier(message.first_reader);
  }
  /// Returns whether both belong to one broadcast.
  [[nodiscard]] static bool same_output(PlannedMessage const& a, PlannedMessage const& b) {
    return a.producer == b.producer && a.handle == b.handle;
  }
  /// Returns the messages with the outputs of a task, until the next call.
  std::vector<PlannedMessage> const& planned(TaskId sender, NodeId home) {
    planned_.clear();
    flow_.append_messages(sender, home, planned_);
    return planned_;
  }
  MessageId create(PlannedMessage const& message);
  void spread(NodeId home);

  SimulationInputs const& inputs_;
  TaskFlow const& flow_;
  Submission const& submission_;
  Nodes const& nodes_;
  Messages& messages_;
  Outbox& outbox_;
  std::vector<PlannedMessage> held_;     // behind a barrier; those of one output follow each other
  std::vector<PlannedMessage> planned_;  // scratch: of one task
  std::vector<MessageId> new_messages_;  // scratch: of one output
};

/// Called from time to time with the number of tasks that have run.
using ProgressCallback = std::function<void(std::uint64_t tasks_done)>;

/// Simulates a cluster: joins the runtime systems of the nodes, the submission of tasks and the messages, and
/// passes each event and each request of a node to the part that handles it.
///
/// The stages of a message: `Outputs` creates it when its task has run and its data is in RAM, `Outbox`
/// decides which node sends it and when, `PinnedReceives` answers it if its receiver page-locks memory,
/// `NetworkTransfers` carries it, and `Inbox` delivers it.
class ClusterRuntime final : private EventHandler, private NodeServices {
 public:
  /// `trace` and `series` may be null. `flow`: gives the tasks by formulas; `inputs` have its graph and its plan, and no
  /// recording, and there is no series; null: the graph has all tasks. `numbers`: as of RunObserver. All references must
  /// outlive the simulation.
  ClusterRuntime(SimulationInputs const& inputs, Topology const& topology, Engine& engine,
                 TraceRecords* trace, ProgressCallback progress, Series* series = nullptr,
                 TaskFlow* flow = nullptr, std::span<TaskId const> numbers = {});

  /// Runs until every task has run. Throws ContractError if the simulation stops before.
  SimulationOutcome run();

 private:
  /// Returns whether all tasks have run.
  [[nodiscard]] bool complete() const { return submission_.tasks_ran() == flow_.task_count(); }
  /// Nothing happens any more although tasks are left: GPUs wait for memory that requests of each other keep. Returns whether
  /// something was done about it.
  bool make_way();
  void handle(Event event) override;
  void handle_worker(EventKind kind, WorkerId worker);
  void transfer_ended(TransferToken token) override;

  Engine& engine() override { return engine_; }
  void task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end,
                Seconds work) override;
  std::size_t task_ended(TaskId task, NodeId node, std::vector<ReadyTask>& ready) override {
    free_.clear();
    bool const is_sent = flow_.ended(task, node, free_);
    for (TaskId const next : free_)
      if (submission_.is_submitted(next)) ready.push_back({next});
    return is_sent ? outputs_.count(task, node) : 0;
  }
  void replica_dropped(NodeId node, HandleId handle, LocalReplica replica) override {
    flow_.dropped(node, handle, replica);
    outbox_.copy_dropped(node, replica);
    if (receives_) receives_->copy_dropped(node, replica);
  }
  void send_output(TaskId sender, NodeId node, bool from_gpu) override {
    observer_.output_in_ram(sender, engine_.now());
    outputs_.send(sender, node, from_gpu);
  }
  bool holds_output(TaskId sender, NodeId node) override { return outputs_.are_held(sender, node); }
  void start_copy(NodeId node, RequestId request, LocalMemory from, LocalMemory to,
                  HandleId handle) override {
    transfers_.start_copy({node, request}, handle, from, to);
  }
  void buffer_ready(NodeId node, BufferRequest const& request, std::vector<ReadyTask>& ready) override;

  [[nodiscard]] Nodes make_nodes();
  void submit_next_part();
  void task_submitted(TaskId task);
  void message_carried(MessageId id);
  /// The communication thread of the receiver has noticed the end of the message.
  void message_noticed(MessageId id);
  /// It has handled the message.
  void message_received(MessageId id);
  void message_arrived(MessageId id);
  /// The communication thread that was blocked has memory for the message, and continues.
  void resume_communication(MessageId id);

  SimulationInputs const& inputs_;
  Engine& engine_;
  ProgressCallback progress_;
  RunObserver observer_;
  ReplayOracle replay_;
  std::optional<StoredFlow> stored_;  // if the graph has all tasks
  TaskFlow& flow_;
  Nodes nodes_;
  Submission submission_;
  std::vector<TaskId> free_;            // scratch: after the end of one task
  std::vector<NodeId> node_of_worker_;  // [workers]
  Messages messages_;
  NetworkTransfers transfers_;
  Inbox inbox_;
  std::optional<PinnedReceives> receives_;       // if any node page-locks memory for received tiles
  std::optional<CommunicationThreads> threads_;  // if messages take time in any of them
  Outbox outbox_;
  Outputs outputs_;
  int stops_ = 0;  // in a row without a task that ran between them; see make_way
  std::uint64_t ran_at_stop_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace factosim
