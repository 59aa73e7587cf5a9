#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/bounds/load_and_path.hpp"
#include "simulator/flow/placed_flow.hpp"

namespace factosim {

/// Heads of the tasks of a flow, as runs of equal ones: in a regular application the tasks of an iteration have few.
class FlowHeads {
 public:
  /// `waits_for_users`: as of FlowChains for this task.
  void add(double head, bool waits_for_users) {
    if (waits_for_users) waiting_.push_back(tasks_);
    ++tasks_;
    if (runs_.empty() || runs_.back().first != head) runs_.emplace_back(head, 0);
    ++runs_.back().second;
  }
  /// Returns the head of the last task that is left, with whether it waits for users, and removes it.
  std::pair<double, bool> take_last() {
    --tasks_;
    bool const waits = !waiting_.empty() && waiting_.back() == tasks_;
    if (waits) waiting_.pop_back();
    double const head = runs_.back().first;
    if (--runs_.back().second == 0) runs_.pop_back();
    return {head, waits};
  }

 private:
  std::vector<std::pair<double, std::uint64_t>> runs_;  // head, number of tasks
  std::vector<std::uint64_t> waiting_;                  // numbers of the tasks that wait for users, ascending
  std::uint64_t tasks_ = 0;
};

/// Counts tasks of equal head, tail and kernel.
class PathCounts {
 public:
  PathCounts();
  void add(double head, double tail, std::uint16_t kernel);
  /// In the order of their first tasks.
  [[nodiscard]] std::vector<PathTasks> const& tasks() const { return tasks_; }

 private:
  [[nodiscard]] std::size_t place_of(PathTasks const& task) const;
  void grow();

  std::vector<PathTasks> tasks_;
  std::vector<std::uint32_t> places_;  // open addressing: indices into tasks_
  std::size_t last_ = 0;               // that of the last task
};

/// Counts the tasks of a flow that has been read by their chains, those before by `heads`. `durations`: [kernels].
[[nodiscard]] std::vector<PathTasks> count_paths(PlacedFlow& placed, FlowHeads heads,
                                                 std::vector<double> durations);

}  // namespace factosim
