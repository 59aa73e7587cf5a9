#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Throws InputError at a task of a cycle if tasks wait for each other, or one for itself. The predecessors of task
/// t are `predecessors[begin[t]]` to `predecessors[begin[t + 1] - 1]`; `place` returns where a task is recorded,
/// "FILE#line N". O(edges + tasks log tasks).
void refuse_cycles(std::span<std::uint32_t const> begin, std::span<TaskId const> predecessors,
                   std::function<std::string(TaskId)> const& place);

/// Dependencies between the recorded tasks of a run, contracted to the timed ones.
class ContractedGraph {
 public:
  static constexpr std::uint32_t none = TaskId::none;

  /// `run` must outlive this object.
  explicit ContractedGraph(StarpuRun const& run);

  /// Throws InputError if a task waits for itself, also through tasks without times.
  void refuse_cycles() const;
  /// Index of a task in the run; `none` if the trace does not contain it.
  [[nodiscard]] std::uint32_t index_of(std::uint64_t key) const;
  /// Number of tasks recorded more than once; the first record counts.
  [[nodiscard]] std::size_t repeated() const { return repeated_; }
  /// Number of ignored dependencies on tasks that the trace does not contain.
  [[nodiscard]] std::size_t unknown_tasks() const { return unknown_tasks_; }

  /// Calls `timed(index)` for each timed task that the given one waits for, across any number of tasks without
  /// times, and `passed(index)` for each of the latter; once each. Throws InputError where tasks without times
  /// join so many others that the graph without them would be much larger than the trace.
  template <class Task, class Passed>
  void for_each_task_before(std::uint32_t task, Task timed, Passed passed) {
    if (++stamp_ == 0) {
      std::fill(seen_.begin(), seen_.end(), 0);
      stamp_ = 1;
    }
    seen_[task] = stamp_;
    stack_.assign(1, task);
    while (!stack_.empty()) {
      std::uint32_t const at = stack_.back();
      stack_.pop_back();
      for (std::uint32_t e = begin_[at]; e < begin_[at + 1]; ++e) {
        std::uint32_t const before = before_[e].value();
        if (--steps_left_ == 0) fail_too_large();
        if (seen_[before] == stamp_) continue;
        seen_[before] = stamp_;
        if (run_.tasks[before].timed()) {
          timed(before);
        } else {
          passed(before);
          stack_.push_back(before);
        }
      }
    }
  }

 private:
  [[noreturn]] void fail_too_large() const;

  StarpuRun const& run_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;  // the first of each
  std::vector<std::uint32_t> begin_;                         // [tasks + 1] into before_
  std::vector<TaskId> before_;
  std::vector<std::uint32_t> seen_, stack_;  // scratch memory
  std::uint64_t steps_left_ = 0;             // along dependencies, of all calls
  std::uint32_t stamp_ = 0;
  std::size_t repeated_ = 0, unknown_tasks_ = 0;
};

}  // namespace factosim
