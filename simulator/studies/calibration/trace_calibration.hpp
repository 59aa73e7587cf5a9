#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/studies/calibration/network_fit.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Durations of one kernel on tiles of one size and workers of one kind.
struct CalibratedKernel {
  KernelTiming timing;         // of the executions that are kept
  std::size_t executions = 0;  // all
  std::size_t first = 0;       // executions that are the first on their worker: warm-up
  double first_mean_s = 0;     // of the first executions
  std::size_t outliers = 0;    // StarVZ's rule: see outlier_limit
  double outlier_mean_s = 0;   // of the outliers
};

struct CalibrationOptions {
  std::string machine;
  std::string provenance;
  bool keep_first = false;    // first executions on a worker count for the mean
  bool keep_outliers = true;  // outliers count for the mean
};

/// A link that transfers of the traces have used.
struct CalibratedLink {
  std::string name;  // "network:0-1", "0:ram-cuda0"
  LinkFit fit{};
};

struct TraceCalibration {
  KernelModel model;
  std::vector<CalibratedKernel> kernels;  // in the model's order
  std::vector<CalibratedLink> links;
  std::optional<NetworkFit> network;
  std::optional<WorkerCosts> worker_costs;
  std::vector<Finding> findings;
};

/// Returns kernel timings from traces of runs on machines of one kind, and how runs and workers vary. The
/// executions of a kernel on all nodes and in all traces count together. The deviation and the samples of a
/// timing are those of single executions: without the factors that the executions of one worker, or of one
/// run, have in common, and without the slow-down by other busy cores of the node, where one was found. The deviation of runs is pooled with an expected one of 5 %, which counts as much
/// as three degrees of freedom. Where traces contradict each other, there is a finding. Kernels without a
/// known tile size are left out, with a finding. Throws InputError if no kernel is left.
[[nodiscard]] TraceCalibration calibrate_from(std::vector<Trace> const& traces,
                                              CalibrationOptions const& options);

/// Returns the machines of the first trace as a platform with that kernel file; its network and costs are
/// those of all traces. Values that the traces lack are estimates, with a finding: a RAM of 64 GiB, a
/// network of 1 GB/s and 1 us if there were no messages, the latency of a bus or network whose transfers
/// all have one size.
[[nodiscard]] Platform calibrated_platform(std::vector<Trace> const& traces, std::string const& machine,
                                           std::string const& kernels_file, TraceCalibration& calibration);

}  // namespace factosim
