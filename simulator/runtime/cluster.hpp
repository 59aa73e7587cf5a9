#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/engine/engine.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/runtime/node_runtime.hpp"
#include "simulator/runtime/outcome.hpp"
#include "simulator/runtime/send_queue.hpp"
#include "simulator/runtime/statistics.hpp"
#include "simulator/trace/records.hpp"
#include "simulator/trace/series.hpp"

namespace factosim {

/// Called now and then with the number of tasks that have run.
using ProgressCallback = std::function<void(std::uint64_t tasks_done)>;

/// The runtime systems of all nodes, the messages between them and the submission of tasks.
///
/// Every node unrolls the sequential task flow, all of it or the part that concerns it: a task is submitted
/// as many submission costs after the start as its node has gone through tasks, or later where a node limits
/// how many of its tasks may be submitted and not done. At a barrier of the graph all nodes wait until all
/// tasks before it have run, and go on from there. What a task wrote goes once to each node where a successor
/// waits, when it is in RAM and the barrier before that successor has been passed, in the order of the most
/// urgent waiting successor, a limited number at a time.
class ClusterRuntime final : private EventHandler, private NodeServices {
 public:
  /// `trace` and `series` may be null. All references must outlive the simulation.
  ClusterRuntime(SimulationInputs const& inputs, Topology const& topology, Engine& engine,
                 TraceRecords* trace, ProgressCallback progress, Series* series = nullptr);

  /// Runs until every task has run. Throws ContractError if the simulation stops before.
  SimulationOutcome run();

 private:
  /// What a task wrote, on its way to one node.
  struct Message {
    TaskId task;
    std::uint32_t first_successor,
        last_successor;     // the run of its successors there, into TaskGraph::successors
    std::uint32_t replica;  // on the destination, in the plan
    TaskId after;           // must have run before the message is delivered; none: any time
    std::int32_t priority;
    NodeId source;                 // where it is sent from
    std::uint32_t first_child;     // messages that its receiver forwards; none at the end
    std::uint32_t next_child;      // of the same sender
    std::uint32_t broadcast;       // whose remaining messages its receiver helps to send; or none
    std::uint32_t source_replica;  // in the plan, where it does not stay there; or none
  };
  /// What a task wrote, for a run of successors behind a barrier.
  struct Output {
    TaskId task;
    std::uint32_t first, last;  // into TaskGraph::successors
    TaskId after;               // as of the message
  };
  static constexpr std::uint32_t none = 0xffffffffU;
  /// Messages of one task's output that nobody sends yet, the most urgent last.
  struct CooperativeSend {
    std::vector<std::uint32_t> left;
    std::uint32_t users = 0;  // messages that refer to it
  };
  /// A transfer in the network.
  struct Flight {
    bool message;
    NodeId node;       // where it started
    std::uint32_t id;  // message, or request of that node
    HandleId handle;
    MemoryNodeId from, to;
    Seconds start;
  };

  /// What a node has submitted when it may not submit all at once.
  struct SubmissionWindow {
    std::uint32_t unrolled = 0;  // tasks that it has gone through since the last barrier
    int open = 0;                // submitted and not done
    bool full = false;           // waits until few enough are open
    Seconds date;                // of the last submission
  };

  /// A message that a node expects.
  struct Receive {
    std::uint32_t successor;  // its first reader, into TaskGraph::successors
    std::uint32_t replica;    // in the plan
    bool has_memory = false;  // from an earlier message with the same tile
  };
  /// What a communication thread has not noticed yet.
  struct PutOff {
    bool sent;  // else received
    std::uint32_t message;
  };
  /// What a node that page-locks its receive buffers expects, and its communication thread.
  struct Receiving {
    std::vector<Receive> expected;  // in the order of submission
    std::size_t submitted = 0;      // of those
    int ready = 0;                  // receives with memory that no message has come for
    bool listening = false;         // an announcement is on its way to the thread
    bool blocked = false;           // the thread waits for memory for an early message
    std::deque<std::uint32_t> announced;
    std::vector<PutOff> put_off;
  };

  void handle(Event event) override;
  void transfer_ended(TransferToken token) override;

  Engine& engine() override { return engine_; }
  void task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end) override;
  bool predecessor_done(TaskId task) override;
  void send_output(TaskId task) override;
  void start_copy(NodeId node, RequestId request, LocalMemory from, LocalMemory to, HandleId handle) override;
  double& ready_date(TaskId task) override { return ready_[task.index()]; }
  void place_taken(NodeId node, LocalMemory memory, ReplicaId replica) override {
    place_changed(node, memory, replica, true);
  }
  void place_released(NodeId node, LocalMemory memory, ReplicaId replica) override {
    place_changed(node, memory, replica, false);
  }
  void place_changed(NodeId node, LocalMemory memory, ReplicaId replica, bool taken);
  void buffer_ready(NodeId node, BufferRequest const& request) override;

  // cluster_submission.cpp
  /// When a task of the part at hand is submitted where nothing limits that.
  [[nodiscard]] Seconds unlimited_submission(TaskId task) const {
    if (inputs_.recording != nullptr && !inputs_.recording->submit_s.empty())
      return Seconds{inputs_.recording->submit_s[task.index()]};
    return part_start_ + inputs_.options.submission_cost * static_cast<double>(unrolled(task));
  }
  /// Goes on behind a barrier, or begins.
  void submit_next_part();
  void submit_windows();
  void send_held_outputs();
  void pin_at_submission();
  void record_submission(TaskId task, Seconds date) {
    if (trace_ != nullptr) trace_->submissions[task.index()] = date;
    if (series_ != nullptr) series_->change(inputs_.plan.node_of(task), Level::submitted, date, 1);
  }
  void submit_more(NodeId node);
  void task_submitted(TaskId task);
  /// Whether a task without predecessors left is submitted; else it will be pushed when it is.
  bool is_submitted(TaskId task);
  /// Behind a barrier that has not been passed.
  [[nodiscard]] bool behind_barrier(TaskId task) const { return number(task) >= part_end_; }
  [[nodiscard]] std::uint32_t number(TaskId task) const { return inputs_.graph.submission_number(task); }
  /// How many tasks its node has gone through since the last barrier when it has submitted this one.
  [[nodiscard]] std::uint32_t unrolled(TaskId task) const {
    return unrolled_.empty() ? number(task) - part_begin_ + 1 : unrolled_[task.index()];
  }
  /// Calls `use(task)` for the tasks of a node that are submitted in the part at hand.
  template <class Use>
  void for_each_in_part(NodeId node, Use use) const;
  void new_message(Output const& output);
  void release_output(std::uint32_t message);
  [[nodiscard]] std::uint32_t replica_of(TaskId task, HandleId handle) const;
  void make_nodes();
  void push(TaskId task) { nodes_[inputs_.plan.node_of(task).index()]->push(task, LocalWorker{}); }
  /// Puts the messages of a task's output into send queues, or behind those that their senders wait for.
  void arrange(std::vector<std::uint32_t>& messages, NodeId home);
  void queue_send(std::uint32_t id, NodeId source);
  void forward(std::uint32_t id, NodeId from);
  void help(std::uint32_t broadcast, NodeId node);
  void start_sends(NodeId node);
  [[nodiscard]] bool network_is_free() const {
    return inputs_.options.max_sends == 0 || sends_under_way_ < inputs_.options.max_sends;
  }
  [[nodiscard]] NodeId destination(std::uint32_t id) const {
    return inputs_.plan.node_of_replica(messages_[id].replica);
  }
  [[nodiscard]] Bytes size_of(std::uint32_t id) const { return replica_size(messages_[id].replica); }
  [[nodiscard]] Bytes replica_size(std::uint32_t replica) const {
    return inputs_.graph.handles[inputs_.plan.handle_of(replica).index()].size;
  }
  [[nodiscard]] Seconds latency_to(std::uint32_t id) const;
  /// Calls `use(first, last, after)` with the run of successors of each message that the task's output makes.
  template <class Use>
  void for_each_message(TaskId task, Use use) const;

  // receives.cpp
  [[nodiscard]] TaskId reader(Receive receive) const { return inputs_.graph.successors[receive.successor]; }
  void expect_messages();
  void submit_receives(NodeId node, TaskId last);
  void submit_next_receives(NodeId node);
  void await_next_receives(NodeId node);
  void want_receive(NodeId node, Receive receive);
  void receive_again(TaskId flushed);
  void receive_ready(NodeId node, std::uint32_t successor);
  void announce(std::uint32_t id);
  void listen(NodeId node);
  void announced(std::uint32_t id);
  void answer(std::uint32_t id);
  void unblock(NodeId node);
  bool puts_off(NodeId node, PutOff what);
  bool arrived_early(std::uint32_t id);
  void deliver_early(std::uint32_t id);

  void fly_message(std::uint32_t id);
  void message_arrived(std::uint32_t id);
  void deliver(std::uint32_t id);
  void fly(Flight flight);
  void record(Flight const& flight);

  SimulationInputs const& inputs_;
  Topology const& topology_;
  Engine& engine_;
  TraceRecords* trace_;
  Series* series_;
  ProgressCallback progress_;
  Statistics statistics_;
  std::vector<std::unique_ptr<NodeRuntime>> nodes_;
  std::vector<NodeId> node_of_worker_;            // [workers]
  std::vector<std::uint32_t> predecessors_left_;  // [tasks]
  std::vector<bool> submitted_;                   // [tasks]; empty without windows
  std::vector<std::uint32_t> unrolled_;           // [tasks]; empty: all tasks are unrolled
  std::vector<std::uint32_t> next_task_;          // [nodes] the first one not submitted yet
  std::vector<SubmissionWindow> windows_;         // [nodes]; empty without windows
  std::vector<SendQueue> sends_;                  // [nodes]
  int sends_under_way_ = 0;                       // of all nodes
  std::vector<Message> messages_;                 // pool
  std::vector<std::uint32_t> free_messages_;
  std::vector<std::uint32_t> new_messages_;   // scratch
  std::vector<CooperativeSend> cooperative_;  // pool
  std::vector<std::uint32_t> free_cooperative_;
  std::vector<double> ready_;  // [tasks] when, in seconds; empty where no recording tells of pauses
  std::vector<double> ended_;  // [tasks] when, in seconds; empty where no recording tells of messages
  std::vector<bool> flushed_;  // [tasks] has run and flushed its inputs; empty: none does
  std::unordered_map<std::uint32_t, std::uint32_t> held_;   // task -> message to deliver when it has run
  std::vector<Receiving> receiving_;                        // [nodes]; empty where none page-locks memory
  std::vector<bool> receive_ready_;                         // [edges] of a message's first reader
  std::unordered_map<std::uint32_t, Receive> after_flush_;  // task -> what is received once it has run
  std::unordered_map<std::uint32_t, std::uint32_t> early_;  // edge -> early message; none until it is here
  std::vector<Flight> flights_;                             // pool
  std::vector<std::uint32_t> free_flights_;
  std::uint64_t tasks_done_ = 0;
  // The part of the flow between two barriers that is being submitted.
  std::uint32_t part_begin_ = 0, part_end_ = 0;  // submission numbers
  std::size_t next_barrier_ = 0;                 // into TaskGraph::barriers
  Seconds part_start_{0};
  std::vector<bool> pinned_;  // [replicas]
  std::vector<Output> held_outputs_;
};

template <class Use>
void ClusterRuntime::for_each_in_part(NodeId node, Use use) const {
  std::uint32_t const end = inputs_.plan.first_task[node.index() + 1];
  for (std::uint32_t t = next_task_[node.index()]; t < end && !behind_barrier(TaskId{t}); ++t) use(TaskId{t});
}

template <class Use>
void ClusterRuntime::for_each_message(TaskId task, Use use) const {
  TaskGraph const& graph = inputs_.graph;
  auto const node_at = [&](std::uint32_t s) { return inputs_.plan.node_of(graph.successors[s]); };
  factosim::for_each_message(graph, inputs_.plan, task, [&](std::uint32_t first, std::uint32_t last) {
    bool const again = first > graph.successor_begin[task.index()] && node_at(first - 1) == node_at(first) &&
                       graph.flushes(graph.successors[first - 1]);
    use(first, last, again ? graph.successors[first - 1] : TaskId{});
  });
}

}  // namespace factosim
