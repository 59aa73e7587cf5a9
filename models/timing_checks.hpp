#pragma once

#include <map>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/starpu_history.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

/// A timing and its source.
struct SourcedTiming {
  KernelTiming timing;
  std::string file;
  int line = 0;
  std::string also_kernel{};  // as in StarpuSymbol
  bool renamed = false;       // the user asked for `also_kernel`
};

/// Device model of each worker: {"cpu", "Intel Xeon X5650"}, {"cuda0", "Tesla M2070"}. May be empty.
using DeviceModels = std::map<std::string, std::string>;

/// What an import does with a timing that is faster than the hardware.
enum class ImplausibleTiming { refuse, keep, leave_out };

constexpr long trusted_samples = 10;  // StarPU uses a history after these (_STARPU_CALIBRATION_MINIMUM)

/// Removes the timings that are faster than the hardware, with a finding each, or throws InputError about the first
/// of them, or does nothing (`keep`: `check_timings` reports them).
void settle_implausible(std::vector<SourcedTiming>& timings, DeviceModels const& devices,
                        ImplausibleTiming action, std::vector<Finding>& findings);

/// Adds the timings of kernels that a codelet executed too (`also_kernel`) where the kernel has none of its own.
void add_shared_timings(std::vector<SourcedTiming>& timings, std::vector<Finding>& findings);

/// Reports suspicious timings of one machine: few samples, faster than the hardware, GPUs of one model that
/// differ much, a kernel missing on some GPUs or the cores.
std::vector<Finding> check_timings(std::vector<SourcedTiming> const& timings, DeviceModels const& devices);

/// Adds the lasting findings to the model and to the timings they concern.
void keep_lasting(std::vector<Finding> const& findings, KernelModel& model);

/// Returns whether mean and deviation follow from the sums, to the precision of the file.
bool is_consistent(StarpuEntry const& entry);

}  // namespace factosim
