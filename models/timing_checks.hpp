#pragma once

#include <map>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/starpu_history.hpp"

namespace factosim {

/// A timing and where it comes from.
struct SourcedTiming {
  KernelTiming timing;
  std::string file;
  int line = 0;
};

/// Model of the device behind each worker: {"cpu", "Intel Xeon X5650"}, {"cuda0", "Tesla M2070"}. May be
/// empty.
using DeviceModels = std::map<std::string, std::string>;

/// Suspicious timings of one machine: few samples, faster than the hardware, a GPU far from its twins, a
/// kernel that some GPUs or the cores lack.
std::vector<Finding> check_timings(std::vector<SourcedTiming> const& timings, DeviceModels const& devices);

/// Whether the mean and deviation follow from the sums, to the digits that the file gives.
bool is_consistent(StarpuEntry const& entry);

}  // namespace factosim
