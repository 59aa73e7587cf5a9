#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// The tasks of a graph as amounts of few kinds of work, which area bounds distinguish. Without weights each kernel
/// is a kind and each task an amount of 1.
struct TaskWork {
  std::vector<std::uint16_t> const* kernel =
      nullptr;  // [tasks] of the graph; the kinds if there are no others
  std::size_t kinds = 0;
  Machine machine;                      // durations, in ticks, of an amount of 1: [kinds][workers of a node]
  std::vector<std::uint16_t> kinds_{};  // [tasks] with weights
  std::vector<double> amounts_{};       // [tasks] with weights

  [[nodiscard]] bool weighted() const { return !kinds_.empty(); }
  [[nodiscard]] std::size_t kind(std::size_t task) const {
    return kinds_.empty() ? (*kernel)[task] : kinds_[task];
  }
  [[nodiscard]] double amount(std::size_t task) const { return amounts_.empty() ? 1 : amounts_[task]; }
};

/// Returns the machine with the shortest durations in whole ticks: sums of them are exact.
[[nodiscard]] Machine machine_in_ticks(Machine machine, TimeGrid const& grid);

/// Returns the work of a graph, which must outlive it. The machine has the shortest durations in whole ticks. Of tasks
/// with weights, those with about the same acceleration by GPUs are one kind: no task is more work than it is, on any
/// worker, but for the rounding of its duration to a tick. O(tasks log tasks) with weights.
[[nodiscard]] TaskWork work_of(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid);

/// Returns whether the ends of kernels are rounded to ticks whenever others change their parts of a GPU.
[[nodiscard]] bool uses_gpu_parts(Machine const& machine);

}  // namespace factosim
