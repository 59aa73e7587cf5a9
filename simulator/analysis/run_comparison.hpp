#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/analysis/run_summary.hpp"
#include "simulator/analysis/time_breakdown.hpp"

namespace factosim {

/// One run, as it is compared.
struct ComparedRun {
  bool traced = true;  // false: only totals are known; no chain, no account, no kernels
  RunSummary summary;
  CriticalChain chain;
  TimeBreakdown workers;
};
/// `by_type`: kernels on different types of nodes are kept apart (same_node_types).
[[nodiscard]] ComparedRun compared_run(Trace const& trace, bool by_type = false);
/// The totals that a result.json tells. Throws InputError where it is none.
[[nodiscard]] ComparedRun compared_result(std::filesystem::path const& result);

/// Where the difference of two makespans (the second less the first) comes from, in seconds. Each part is a
/// difference of the two chains; with `path` and the parts of the kernels they add up to the difference.
///
/// Time T of one kind of kernel on a chain is n tasks of the run's mean d and what they deviate from it, so
/// T2 - T1 = (n1 + n2)/2 (d2 - d1)  [means]  +  (n2 - n1) (d1 + d2)/2  [path]
///           + (T2 - n2 d2) - (T1 - n1 d1)  [deviations].
struct DifferenceCauses {
  struct Kernel {
    std::string kernel, resource;
    std::size_t tasks_a = 0, tasks_b = 0;  // on the chains
    double means_s = 0, path_s = 0, deviations_s = 0;
  };
  std::vector<Kernel> kernels;  // of both chains
  double means_s = 0;           // tasks of the chains last longer or shorter, by the means of their kernels
  double deviations_s = 0;      // these very tasks do, compared to the means of their runs
  double path_s = 0;            // other tasks, or more or fewer, are on the chain: order and placement
  double data_s = 0;            // messages, before and on the network, and copies
  double scheduling_s = 0;      // ready, with all data there, and not started
  double submission_s = 0;
  double unexplained_s = 0;

  [[nodiscard]] double sum() const {
    return means_s + deviations_s + path_s + data_s + scheduling_s + submission_s + unexplained_s;
  }
};

/// The simulated one of two runs, simulated again with the kernel means of the other: what is left of the
/// difference then is not that of kernel times.
struct OwnMeans {
  char simulated = 'b';                // which of the runs
  double makespan_s = 0;               // of that one, with the means of the other
  std::size_t replaced = 0, kept = 0;  // kernels on workers whose mean the other run has, and has not
};

struct RunComparison {
  ComparedRun a, b;
  DifferenceCauses causes;
  std::optional<OwnMeans> own_means;
  std::string no_own_means;  // why there are none

  [[nodiscard]] bool traced() const { return a.traced && b.traced; }
  [[nodiscard]] double difference_s() const { return b.summary.makespan_s - a.summary.makespan_s; }
};

[[nodiscard]] RunComparison compare_runs(ComparedRun a, ComparedRun b);

/// "kernel times", "waiting for data", "scheduling" (with the path), "submission" or "unexplained": what
/// changed the makespan most in the direction in which it changed; empty where the makespans are the same (to
/// 1e-9).
[[nodiscard]] std::string main_cause(RunComparison const& comparison);
/// The kernel and resource whose mean did most of that in a difference of kernel times; null otherwise.
[[nodiscard]] DifferenceCauses::Kernel const* main_kernel(RunComparison const& comparison);

}  // namespace factosim
