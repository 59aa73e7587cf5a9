#pragma once

#include <cstddef>
#include <vector>

#include "simulator/report/analysis/causes.hpp"
#include "simulator/report/analysis/common_durations.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A run to take apart; `origin_s` in the time of its trace.
struct TracedRun {
  Trace const& trace;
  double origin_s, makespan_s;
};

/// Parts of a makespan in seconds. The shares, `unexplained` and `structure` add up to it.
///
/// The shares are Shapley values: the mean, over all orders in which the four can be removed from the
/// `DelayModel` of the run, of what its removal saves. Source: Shapley, A value for n-person games, 1953.
struct RunParts {
  /// Lower bounds of the time of the tasks, with common durations, each at least the one before.
  struct Loads {
    double all_workers = 0;  // area bound of the cluster
    double node = 0;         // area bound of the most loaded node
    double worker = 0;       // work of the most loaded worker
  };
  double durations = 0;  // what tasks last beyond the common durations
  double messages = 0, copies = 0, overhead = 0;
  double unexplained = 0;       // with what the model does not reproduce, where clocks differ
  double structure = 0;         // with common durations and no delays
  std::vector<double> classes;  // [classes of the common durations] what setting these alone would save
  Loads loads;
};

/// Computes the parts of one of the two runs with common durations. `by_type` as in `summarize_run`.
[[nodiscard]] RunParts parts_of_run(TracedRun const& traced, Causes& causes, CommonDurations const& common,
                                    std::size_t run, bool by_type);

}  // namespace factosim
