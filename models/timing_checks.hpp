#pragma once

#include <map>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/starpu_history.hpp"

namespace factosim {

/// A timing and its source.
struct SourcedTiming {
  KernelTiming timing;
  std::string file;
  int line = 0;
};

/// Device model of each worker: {"cpu", "Intel Xeon X5650"}, {"cuda0", "Tesla M2070"}. May be empty.
using DeviceModels = std::map<std::string, std::string>;

/// Reports suspicious timings of one machine: few samples, faster than the hardware, a GPU that differs much
/// from identical ones, a kernel missing on some GPUs or the cores.
std::vector<Finding> check_timings(std::vector<SourcedTiming> const& timings, DeviceModels const& devices);

/// Returns whether mean and deviation follow from the sums, to the precision of the file.
bool is_consistent(StarpuEntry const& entry);

}  // namespace factosim
