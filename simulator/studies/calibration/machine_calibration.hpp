#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/studies/calibration/gpus.hpp"

namespace factosim {

struct MachineCalibrationOptions {
  std::string machine = "here";
  std::vector<int> tiles{320, 640, 960};
  std::vector<Precision> precisions{Precision::double_};
  std::vector<std::string> kernels;  // empty: all
  int cores = 1;         // number of cores that run a kernel at the same time, each on its own tiles; 0: all
  bool on_cores = true;  // false: GPUs only, which needs no OpenBLAS
  double seconds = 0.5;  // minimum time for each kernel and tile size, after the warm-up
};

/// One kernel on tiles of one size.
struct MeasuredKernel {
  KernelTiming timing;  // of undisturbed executions
  double first_s = 0;   // duration of the first execution
  long disturbed =
      0;  // executions for at least 5 % of which the core ran another thread; on GPUs also late launches
  double gflops = 0;  // of one core; 0 without floating-point work
};

/// One direction between two memory nodes of a machine, measured by copies.
struct MeasuredLink {
  std::size_t from = 0, to = 0;  // 0: RAM; then the GPUs
  LinkFit fit;
  double spread = 0;  // interquartile range of large copies, divided by their median
};

struct MachineCalibration {
  KernelModel model;
  std::vector<MeasuredKernel> kernels;
  std::vector<GpuSpec> gpus;
  std::vector<MeasuredLink> links;  // between RAM and GPUs
  double foreign_load = 0;          // cores used by other processes, on average
  std::vector<Finding> findings;
};

/// Measures the kernels of OpenBLAS and LAPACK, with one thread each, on tiles that rotate through more
/// memory than the caches hold. Each kernel runs for `seconds` and at least 20 times undisturbed, but no
/// longer than ten times `seconds`. Three executions are warm-up. An execution whose thread lost the core is
/// disturbed and does not count for the mean. Then measures the kernels of the `gpus`, one GPU after the
/// other, in a full queue, and the links. `gpus` may be null. Calls `progress` with
/// a line for each kernel and link. Throws InputError if cores are measured and the module with OpenBLAS, LAPACKE and
/// GSL is not installed, or if there is nothing to measure.
[[nodiscard]] MachineCalibration calibrate_machine(MachineCalibrationOptions const& options, Gpus* gpus,
                                                   std::function<void(std::string const&)> const& progress);

/// Returns this machine as a platform of one node: cores and RAM as the system reports them, GPUs and bus as
/// measured. The network is assumed to have 1 GB/s and 1 us, and a finding says so.
[[nodiscard]] Platform measured_platform(MachineCalibration const& calibration,
                                         std::filesystem::path const& kernels_file,
                                         std::vector<Finding>& findings);

}  // namespace factosim
