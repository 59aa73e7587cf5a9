#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "simulator/analysis/trace_links.hpp"
#include "simulator/core/finding.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What the executions of one kernel on tiles of one size and one sort of worker lasted.
struct CalibratedKernel {
  KernelTiming timing;         // mean, deviation and samples are of those that are kept
  std::size_t executions = 0;  // all
  std::size_t first = 0;       // the first one on each worker: warm-up
  double first_mean_s = 0;     // of those
  std::size_t outliers = 0;   // StarVZ's: beyond the third quartile and 1.5 times what lies between quartiles
  double outlier_mean_s = 0;  // of those
};

struct CalibrationOptions {
  std::string machine;
  std::string provenance;
  bool keep_first = false;    // first executions count for the mean
  bool keep_outliers = true;  // outliers do
};

/// Links that transfers of the traces went over.
struct CalibratedLink {
  std::string name;  // "network", "ram-cuda0"
  LinkFit fit;
};

struct TraceCalibration {
  KernelModel model;
  std::vector<CalibratedKernel> kernels;  // in the model's order
  std::vector<CalibratedLink> links;
  std::vector<Finding> findings;
};

/// Kernel timings from traces of runs on machines of one kind; executions of one kernel count together, on
/// whatever node and in whatever trace. Kernels whose name or data tell no tile size are left out, with a
/// finding. Throws InputError where nothing is left.
[[nodiscard]] TraceCalibration calibrate_from(std::vector<Trace> const& traces,
                                              CalibrationOptions const& options);

/// The machines of a trace as a platform of that kernel file. What traces do not tell is estimated, and said:
/// RAM of 64 GiB, a network of 1 GB/s with 1 us where there were no messages, the latency of buses and
/// networks over which all messages are of one size.
[[nodiscard]] Platform calibrated_platform(Trace const& trace, std::string const& machine,
                                           std::string const& kernels_file, std::vector<Finding>& findings);

}  // namespace factosim
