#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/base/core/finding.hpp"

namespace factosim {

/// One line of measurements: statistics of tasks whose data have the same shapes.
struct StarpuEntry {
  /// Returns whether it has a mean and a deviation that durations may have.
  [[nodiscard]] bool is_usable() const;

  int line = 0;
  std::uint32_t footprint = 0;  // checksum of the shapes of the data, without the element size
  std::int64_t size = 0;        // bytes of all data of a task
  double mean_us = 0;
  double deviation_us = 0;  // population standard deviation
  double sum_us = 0;
  double sum_squares_us2 = 0;
  long samples = 0;
};

struct StarpuDevice {
  /// Returns the name of the type: "cpu", "cuda", "hip"; "unknown" beyond those of StarPU 1.5.
  [[nodiscard]] std::string kind() const;

  int type = 0;  // 0: CPU, 1: CUDA, 2: OpenCL, ..., 7: HIP
  int id = 0;
  int cores = 0;
};

/// Histories of one implementation on one combination of devices.
struct StarpuArchitecture {
  std::vector<StarpuDevice> devices;
  int implementation = 0;
  int line = 0;  // line of its header
  std::vector<StarpuEntry> entries;
};

/// Contents of one performance model file, `codelets/<version>/<symbol>.<hostname>`.
struct StarpuHistory {
  std::string file, codelet;
  int version = 0;
  std::vector<StarpuArchitecture> architectures;
  std::vector<Finding> findings;  // text after the end, regressions that are ignored
};

/// Reads a StarPU performance model of version 42 (StarPU 1.1) to 45 (since 2019). Throws InputError with the malformed line.
StarpuHistory read_starpu_history(std::filesystem::path const& file);

}  // namespace factosim
