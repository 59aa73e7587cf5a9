#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/engine/engine.hpp"
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
  /// Calls `use(task)` for all tasks of the node in this part that are not submitted.
  template <class Use>
  void for_each_left(NodeId node, Use use) const {
    std::uint32_t const end = inputs_.plan.first_task[node.index() + 1];
    for (std::uint32_t t = next_[node.index()]; t < end && !behind_barrier(TaskId{t}); ++t) use(TaskId{t});
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

/// Limits the submitted tasks of each node that have not run: a node with more than `max_submitted_tasks`
/// stops its submission and resumes it at `min_submitted_tasks`. Source: StarPU 1.4 `core/task.c`.
class SubmissionWindows {
 public:
  SubmissionWindows(SimulationInputs const& inputs, FlowPart& part, Engine& engine, RunObserver& observer);

  /// Begins to submit a part of the flow, whose tasks are unrolled from its start.
  void begin_part();
  /// Schedules the submission of as many tasks of the node as its window admits.
  void submit(NodeId node);
  void task_submitted(TaskId task) { submitted_[task.index()] = true; }
  /// A task of the node has run: its submission may continue.
  void task_ran(NodeId node);
  [[nodiscard]] bool is_submitted(TaskId task) const { return submitted_[task.index()]; }

 private:
  struct Window {
    std::uint32_t unrolled = 0;  // tasks that the node has unrolled since the last barrier
    int open = 0;                // submitted tasks that have not run
    bool full = false;           // submission is stopped until enough open tasks have run
    Seconds date;                // of the last submission
  };

  SimulationInputs const& inputs_;
  FlowPart& part_;
  Engine& engine_;
  RunObserver& observer_;
  std::vector<bool> submitted_;  // [tasks]
  std::vector<Window> windows_;  // [nodes]
};

/// Decides when tasks are submitted and ready. The flow is submitted part by part between its barriers; in a
/// part a task is submitted as many submission costs after the start as its node has unrolled tasks, or at
/// its recorded date, or as the window of its node admits. It is ready once its predecessors have run too.
class Submission {
 public:
  /// All arguments must outlive this.
  Submission(SimulationInputs const& inputs, TaskFlow const& flow, ReplayOracle const& replay, Engine& engine,
             RunObserver& observer);

  /// The part of the flow that is being submitted.
  [[nodiscard]] FlowPart const& part() const { return part_; }
  /// Passes the next barrier, now.
  void begin_next_part() { part_.begin_next(engine_.now()); }
  /// Schedules the submission of the tasks of the part.
  void submit_part();
  [[nodiscard]] bool has_windows() const { return windows_.has_value(); }
  /// Returns when a task of the part is submitted if no window delays it.
  [[nodiscard]] Seconds date(TaskId task) const {
    if (auto const recorded = replay_.submission(task)) return *recorded;
    return part_.start() + inputs_.options.submission_cost * static_cast<double>(part_.unrolled(task));
  }

  /// Returns the date of a task by its place in the submission, where every node unrolls all tasks.
  [[nodiscard]] Seconds date_of(std::uint32_t number) const {
    return part_.start() + inputs_.options.submission_cost * static_cast<double>(part_.unrolled_to(number));
  }

  /// The date of the task's submission has come. Returns whether the task is ready.
  bool task_submitted(TaskId task) {
    if (!windows_) return true;  // its submission was scheduled when it was free
    windows_->task_submitted(task);
    return flow_.is_free(task);
  }
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
    if (windows_) windows_->task_ran(node);
  }
  [[nodiscard]] std::uint64_t tasks_ran() const { return tasks_ran_; }

 private:
  void submit_at_once();

  SimulationInputs const& inputs_;
  TaskFlow const& flow_;
  ReplayOracle const& replay_;
  Engine& engine_;
  RunObserver& observer_;
  FlowPart part_;
  std::optional<SubmissionWindows> windows_;  // if the number of submitted tasks is limited
  std::uint64_t tasks_ran_ = 0;
};

}  // namespace factosim
