#pragma once

#include <cstdint>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Who waits for whom among the jobs of a run, and what is left of that between its tasks.
class JobGraph {
 public:
  static constexpr std::uint32_t none = TaskId::none;

  /// `run` must outlive this.
  explicit JobGraph(StarpuRun const& run);

  /// The index of a job in the run; `none` where the trace does not tell it.
  [[nodiscard]] std::uint32_t index_of(std::uint64_t key) const;
  /// Jobs that were told more than once; the first of them counts.
  [[nodiscard]] std::size_t repeated() const { return repeated_; }
  /// Dependencies on jobs that the trace does not tell: they are left out.
  [[nodiscard]] std::size_t unknown_jobs() const { return unknown_jobs_; }

  /// Calls `task(index)` for each timed job that the job waits for, over any number of jobs without times,
  /// and `passed(index)` for each of those; each once.
  template <class Task, class Passed>
  void for_each_task_before(std::uint32_t job, Task task, Passed passed) {
    if (++stamp_ == 0) {
      std::fill(seen_.begin(), seen_.end(), 0);
      stamp_ = 1;
    }
    seen_[job] = stamp_;
    stack_.assign(1, job);
    while (!stack_.empty()) {
      std::uint32_t const at = stack_.back();
      stack_.pop_back();
      for (std::uint32_t e = begin_[at]; e < begin_[at + 1]; ++e) {
        std::uint32_t const before = before_[e];
        if (seen_[before] == stamp_) continue;
        seen_[before] = stamp_;
        if (run_.jobs[before].timed()) {
          task(before);
        } else {
          passed(before);
          stack_.push_back(before);
        }
      }
    }
  }

 private:
  StarpuRun const& run_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_key_;  // sorted
  std::vector<std::uint32_t> begin_, before_;                    // [jobs + 1] into before_
  std::vector<std::uint32_t> seen_, stack_;                      // scratch
  std::uint32_t stamp_ = 0;
  std::size_t repeated_ = 0, unknown_jobs_ = 0;
};

}  // namespace factosim
