#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "simulator/calibration/gpus.hpp"
#include "simulator/calibration/measured_links.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

struct MachineCalibrationOptions {
  std::string machine = "here";
  std::vector<int> tiles{320, 640, 960};
  std::vector<Precision> precisions{Precision::double_};
  std::vector<std::string> kernels;  // empty: all
  int cores = 1;         // that run the same kernel at once, each on tiles of its own; 0: all there are
  double seconds = 0.5;  // least time for each kernel and tile size, after the warm-up
};

/// One kernel on tiles of one size.
struct MeasuredKernel {
  KernelTiming timing;  // of undisturbed executions
  double first_s = 0;   // the very first execution
  long disturbed = 0;   // executions during which the core did something else for 5 % of the time or more
  double gflops = 0;    // of one core; 0 for what is no floating-point work
};

struct MachineCalibration {
  KernelModel model;
  std::vector<MeasuredKernel> kernels;
  std::vector<GpuSpec> gpus;
  std::vector<MeasuredLink> links;  // between RAM and GPUs
  double foreign_load = 0;          // cores that others used meanwhile, on average
  std::vector<Finding> findings;
};

/// What can be measured: the kernels of LU, Cholesky and QR by their names in kernel files, and dcmg.
[[nodiscard]] std::vector<std::string> measurable_kernels();

/// Runs the real kernels of OpenBLAS and LAPACK, one thread each, on tiles that rotate through more memory
/// than the caches hold, until each has run long enough and often enough (at least 20 times undisturbed,
/// within ten times the time asked for). The first execution and two more are warm-up. An execution whose
/// thread did not have the core all the time counts as disturbed and not for the mean. The same for the
/// kernels of each of the `gpus`, one GPU after the other, whose host thread waits by spinning; then their
/// links. `gpus` may be null. `progress` gets a line for each kernel. Throws InputError where the program was
/// built without OpenBLAS, LAPACKE and GSL.
[[nodiscard]] MachineCalibration calibrate_machine(MachineCalibrationOptions const& options, Gpus* gpus,
                                                   std::function<void(std::string const&)> const& progress);

/// One node of this machine: its cores and RAM as the system tells them, GPUs and bus as measured. No network
/// was measured: 1 GB/s and 1 us are assumed, and a finding says so.
[[nodiscard]] Platform measured_platform(MachineCalibration const& calibration,
                                         std::filesystem::path const& kernels_file,
                                         std::vector<Finding>& findings);

}  // namespace factosim
