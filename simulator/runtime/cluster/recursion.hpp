#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/runtime/cluster/stored_flow.hpp"
#include "simulator/runtime/cluster/submission.hpp"
#include "simulator/runtime/node/run_observer.hpp"
#include "simulator/runtime/policies/splitter.hpp"

namespace factosim {

/// Decides at run time which form each coarse task takes, and follows the dependencies that depend on it
/// (`RecursiveTasks`).
///
/// A coarse task is ready when each coarse task before it has run, or was split and one of its children has run. Then
/// the splitter decides. Kept, it waits until its tiles are unpartitioned. Split, its children wait for the partition
/// of their tiles, and for children before them, but for no whole task.
/// Source: StarPU 1.5, STARPU_RECURSIVE_TASK_SPLITTER_CALL_ON_SCHEDULER and
/// STARPU_RECURSIVE_TASK_FREE_DEPS_ON_FIRST_REAL_TASK, both on by default.
class Recursion {
 public:
  /// All arguments must outlive this.
  Recursion(SimulationInputs const& inputs, StoredFlow& flow, Submission& submission, RunObserver& observer,
            Engine& engine);

  /// The task is ready. Appends the tasks that the policy gets in its place; none if it waits for a conversion.
  void decide(TaskId task, std::vector<TaskId>& out);
  /// A worker has taken the task from the policy.
  void taken(TaskId task) { --ready_[kind(task)]; }
  /// The task has run. Appends the tasks that are ready now.
  void ended(TaskId task, std::vector<TaskId>& ready);

  /// Returns whether all tasks of the forms that were taken have run.
  [[nodiscard]] bool complete(std::uint64_t tasks_ran) const {
    return undecided_ == 0 && tasks_ran == tasks_taken_;
  }
  /// Returns the forms that were taken: [coarse tasks].
  [[nodiscard]] std::vector<bool> take_forms() { return std::move(split_); }

 private:
  enum class Conversion : std::uint8_t { none, requested, done };

  [[nodiscard]] std::uint32_t kind(TaskId task) const { return inputs_.graph.kernel[task.index()]; }
  void choose(std::uint32_t c);
  void request_conversion(std::uint32_t c, std::vector<TaskId>& out);
  /// Submits the conversion of that task's tile, which is ready.
  [[nodiscard]] TaskId started_conversion(std::uint32_t c);
  void add(TaskId task, std::vector<TaskId>& out);
  void release_coarse(std::uint32_t c, std::vector<TaskId>& ready);
  void child_ended(TaskId child, std::vector<TaskId>& ready);
  void conversion_ended(std::uint32_t c, std::vector<TaskId>& ready);
  void release_children(TaskId before, std::vector<TaskId>& ready);

  SimulationInputs const& inputs_;
  RecursiveTasks const& tasks_;
  StoredFlow& flow_;
  Submission& submission_;
  RunObserver& observer_;
  Engine& engine_;
  SplitCosts costs_;
  std::unique_ptr<Splitter> splitter_;
  std::vector<bool> decided_, split_;              // [coarse tasks]
  std::vector<Conversion> conversion_;             // [coarse tasks] of the tile that it wrote
  std::vector<std::uint32_t> conversions_left_;    // [coarse tasks] that a task that was kept waits for
  std::vector<std::uint32_t> children_left_;       // [coarse tasks]
  std::vector<std::uint64_t> ready_, unfinished_;  // [kernels]
  std::uint32_t undecided_;
  std::uint64_t tasks_taken_ = 0;
};

}  // namespace factosim
