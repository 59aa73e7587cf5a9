#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/node_runtime.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

/// The part of the task flow, between two barriers, that the nodes unroll at present, and how far each node
/// has submitted its tasks. Before the first `begin_next` the part is empty.
class FlowPart {
 public:
  /// `tasks`: of the whole flow.
  FlowPart(SimulationInputs const& inputs, std::uint64_t tasks);

  /// Passes the next barrier at that date.
  void begin_next(Seconds date);
  [[nodiscard]] Seconds start() const { return start_; }
  /// Returns the submission number of its first task.
  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  /// Returns the number of tasks, of all nodes.
  [[nodiscard]] std::uint32_t length() const { return end_ - begin_; }
  /// Returns the number of tasks in this part and those before it.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] bool is_last() const { return end_ == tasks_; }
  /// Returns whether the task follows a barrier that has not been passed.
  [[nodiscard]] bool behind_barrier(TaskId task) const { return number(task) >= end_; }
  /// Returns how many tasks its node has unrolled since the last barrier once it has submitted this one.
  [[nodiscard]] std::uint32_t unrolled(TaskId task) const {
    return unrolled_ ? (*unrolled_)[task.index()] : unrolled_to(number(task));
  }
  /// Returns the same of a task by its number, where every node unrolls all tasks.
  [[nodiscard]] std::uint32_t unrolled_to(std::uint32_t number) const { return number - begin_ + 1; }
  /// Returns how many tasks a node has unrolled when it comes to the task of that number, which may be another node's:
  /// where nodes do not unroll all tasks, up to its own last one before. O(log tasks) there.
  [[nodiscard]] std::uint32_t unrolled_by(NodeId node, std::uint32_t number) const;

  /// Returns the next task of the node that is not submitted, or none in this part.
  [[nodiscard]] TaskId next(NodeId node) const {
    TaskId const task{next_[node.index()]};
    bool const left = task.value() < inputs_.plan.first_task[node.index() + 1] && !behind_barrier(task);
    return left ? task : TaskId{};
  }
  void advance(NodeId node) {
    FACTOSIM_EXPECT(next(node).valid(), "a node submits more tasks than it has");
    ++next_[node.index()];
  }

 private:
  [[nodiscard]] std::uint32_t number(TaskId task) const { return inputs_.graph.submission_number(task); }

  SimulationInputs const& inputs_;
  std::uint32_t tasks_;
  std::optional<std::vector<std::uint32_t>> unrolled_;  // [tasks]; none: every node unrolls all tasks
  std::vector<std::uint32_t> next_;                     // [nodes] first task that is not submitted
  std::uint32_t begin_ = 0, end_ = 0;                   // submission numbers
  std::size_t next_barrier_ = 0;                        // into TaskGraph::barriers
  Seconds start_{0};
};

/// Submission by threads that stop in between, one per node.
///
/// A node with more than `max_submitted_tasks` submitted tasks that have not run stops, and resumes at
/// `min_submitted_tasks`. Source: StarPU 1.4 `core/task.c`. With `allocate_at_submission` the thread pins RAM for what a
/// task receives before it submits the task, unless the node has had another copy of that tile: a receive acquires its
/// data for writing, and where nothing uses the data RAM is allocated at once, by the caller. Source: StarPU
/// `datawizard/coherency.c` (_starpu_create_request_to_fetch_data: "really no need for a request, just allocate").
class SubmissionThreads {
 public:
  SubmissionThreads(SimulationInputs const& inputs, FlowPart& part, Nodes const& nodes, Engine& engine,
                    RunObserver& observer);

  /// Begins a part of the flow, whose tasks are unrolled from its start.
  void begin_part();
  /// Schedules the submission of as many tasks of the node as its window and the pinning of RAM admit.
  void submit(NodeId node);
  /// The thread of the node has come to a task that needs RAM, or has pinned it.
  void resume(NodeId node) {
    threads_[node.index()].pins = false;
    threads_[node.index()].date = engine_.now();
    submit(node);
  }
  void task_submitted(TaskId task) { submitted_[task.index()] = true; }
  /// A task of the node has run: its submission may continue.
  void task_ran(NodeId node);
  [[nodiscard]] bool is_submitted(TaskId task) const { return submitted_[task.index()]; }
  [[nodiscard]] static bool pins_at_submission(Nodes const& nodes) {
    return nodes.any([](NodeRuntime& node) { return node.host_memory().at_submission(); });
  }
  /// Returns when the node has unrolled that many tasks of the part. Not known yet: nothing; `message_submitted` follows
  /// when it is.
  [[nodiscard]] std::optional<Seconds> date(NodeId node, std::uint32_t unrolled, MessageId waiting);

 private:
  /// From that date on tasks are unrolled one after the other.
  struct Pace {
    std::uint32_t unrolled;
    Seconds date;
  };
  struct Thread {
    std::uint32_t unrolled = 0;  // tasks that the node has unrolled since the last barrier
    std::uint32_t reached = 0;   // the same, with those of other nodes behind its last own one
    int open = 0;                // submitted tasks that have not run
    bool full = false;           // submission is stopped until enough open tasks have run
    bool pins = false;           // ... until the date, at which it pins RAM or has pinned it
    Seconds date;                // of the last submission
    std::vector<Pace> paces;     // of the part, ascending
    std::multimap<std::uint32_t, MessageId> waiting;  // by the number of tasks to unroll before
  };

  [[nodiscard]] bool has_window() const { return inputs_.options.max_submitted_tasks > 0; }
  /// Returns a replica that the node of the task receives for it, and for which the thread has to pin RAM.
  [[nodiscard]] ReplicaId next_receive(TaskId task);
  /// Pins RAM for the replica if the thread has come to its task. Returns whether the thread stops here until its date.
  bool pin(NodeId node, ReplicaId replica);
  /// The dates of that many tasks are known now.
  void reach(Thread& thread, std::uint32_t unrolled);
  [[nodiscard]] Seconds date_of(Thread const& thread, std::uint32_t unrolled) const;

  SimulationInputs const& inputs_;
  FlowPart& part_;
  Nodes const& nodes_;
  Engine& engine_;
  RunObserver& observer_;
  std::vector<bool> submitted_;  // [tasks]
  std::vector<bool> has_ram_;    // [replicas] or others pin it; empty: no thread pins RAM
  std::vector<Thread> threads_;  // [nodes]
};

/// Decides when tasks are submitted and ready. The flow is submitted part by part between its barriers; in a
/// part a task is submitted as many submission costs after the start as its node has unrolled tasks, or at
/// its recorded date, or as the thread of its node comes to it. It is ready once its predecessors have run too.
///
/// A message is posted by the submission of its first reader, on its sender and on its receiver. Source: StarPU-MPI
/// `starpu_mpi_task_insert.c` (_starpu_mpi_exchange_data_before_execution).
class Submission {
 public:
  /// All arguments must outlive this.
  Submission(SimulationInputs const& inputs, TaskFlow const& flow, ReplayOracle const& replay,
             Nodes const& nodes, Engine& engine, RunObserver& observer);

  /// The part of the flow that is being submitted.
  [[nodiscard]] FlowPart const& part() const { return part_; }
  /// Passes the next barrier, now.
  void begin_next_part() {
    part_.begin_next(engine_.now());
    if (threads_) threads_->begin_part();
  }
  /// Schedules the submission of the tasks of the part.
  void submit_part();
  /// Returns whether the dates of submission depend on the run.
  [[nodiscard]] bool has_threads() const { return threads_.has_value(); }
  /// Returns when a task of the part is submitted if nothing delays it.
  [[nodiscard]] Seconds date(TaskId task) const {
    if (auto const recorded = replay_.submission(task)) return *recorded;
    return date_of_unrolled(part_.unrolled(task));
  }

  /// Returns the date of a task by its place in the submission, where every node unrolls all tasks.
  [[nodiscard]] Seconds date_of(std::uint32_t number) const {
    return date_of_unrolled(part_.unrolled_to(number));
  }

  /// Returns whether both nodes of the message have posted it. If not, `message_submitted` will come.
  [[nodiscard]] bool is_posted(MessageId id, PlannedMessage const& message);

  /// The date of the task's submission has come. Returns whether the task is ready.
  bool task_submitted(TaskId task) {
    if (!threads_) return true;  // its submission was scheduled when it was free
    threads_->task_submitted(task);
    return flow_.is_free(task);
  }
  /// The thread of the node has come to a task that needs RAM, or has pinned it.
  void resume_thread(NodeId node) { threads_->resume(node); }
  /// Returns whether a free task is submitted. If not, schedules its submission, unless it is behind a barrier:
  /// `task_submitted` will return that it is ready.
  bool is_submitted(TaskId task);
  /// A task of the node has run. Returns whether it was the last one before a barrier.
  bool task_ran() {
    FACTOSIM_EXPECT(tasks_ran_ < part_.end(), "more tasks run than were submitted");
    return ++tasks_ran_ == part_.end() && !part_.is_last();
  }
  /// Submits more tasks of the node, one of whose tasks has run, where its window had stopped it.
  void resume(NodeId node) {
    if (threads_) threads_->task_ran(node);
  }
  [[nodiscard]] std::uint64_t tasks_ran() const { return tasks_ran_; }

 private:
  void submit_at_once();
  [[nodiscard]] Seconds date_of_unrolled(std::uint32_t tasks) const {
    return part_.start() + inputs_.options.submission_cost * static_cast<double>(tasks);
  }

  SimulationInputs const& inputs_;
  TaskFlow const& flow_;
  ReplayOracle const& replay_;
  Engine& engine_;
  RunObserver& observer_;
  FlowPart part_;
  std::optional<SubmissionThreads> threads_;  // if submission may stop in between
  std::uint64_t tasks_ran_ = 0;
};

}  // namespace factosim
