#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/report/analysis/run_summary.hpp"

namespace factosim {

/// Durations of the tasks of two runs that have no difference left between the runs: the mean of the two
/// means of the kernel on the same node and kind of worker, otherwise on the same resource, otherwise that of
/// the only run that has it. If the runs have different numbers of tasks of a kernel (other tiles, another
/// size), the sum of its durations is made equal instead of their mean.
class CommonDurations {
 public:
  CommonDurations(std::array<Trace const*, 2> traces, bool by_type);

  /// [tasks] seconds; 0 for tasks that did not run.
  [[nodiscard]] std::vector<double> const& of_run(std::size_t run) const { return durations_[run]; }
  /// Returns the common duration, in a run, of a kernel on a resource, over all nodes; infinite if no run has it.
  [[nodiscard]] double of_kernel(std::size_t run, KernelOn const& kernel) const;
  /// Returns true if a kernel that both runs have on a resource has means that differ by more than 0.2 % and
  /// three standard errors.
  [[nodiscard]] bool means_differ() const { return means_differ_; }
  /// Returns true if the runs have different numbers of tasks of a kernel.
  [[nodiscard]] bool tasks_differ() const { return tasks_differ_; }

  /// Kernel and resource of each task, by which differences are reported.
  [[nodiscard]] std::vector<KernelOn> const& classes() const { return classes_; }
  /// [tasks] index into classes().
  [[nodiscard]] std::vector<std::uint32_t> const& class_of(std::size_t run) const { return class_[run]; }

 private:
  struct Sample {
    double sum = 0, squares = 0;
    std::uint64_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
    [[nodiscard]] double standard_error() const;
    void add(double x) { sum += x, squares += x * x, ++count; }
  };
  using Pair = std::array<Sample, 2>;  // of both runs

  void classify(Trace const& trace, std::size_t run, bool by_type);
  void compare_means();
  void set_durations(Trace const& trace, std::size_t run);
  [[nodiscard]] double common(Pair const& pair, double other_tasks, std::size_t run) const;

  bool same_nodes_, means_differ_ = false, tasks_differ_ = false;
  std::map<KernelOn, std::uint32_t> index_;
  std::vector<KernelOn> classes_;
  std::array<std::vector<std::uint32_t>, 2> class_;                  // [tasks]
  std::vector<Pair> by_class_;                                       // [classes]
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> by_node_;  // by class and node
  std::map<std::string, std::array<double, 2>> tasks_;               // of each kernel
  std::array<std::vector<double>, 2> durations_;                     // [tasks]
};

}  // namespace factosim
