#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

struct StarpuBusImport {
  /// Has the name of the host, its cores, GPUs and bus. RAM size, kernels and network card, which StarPU's files
  /// do not contain, have their defaults.
  NodeType type;
  std::vector<Finding> findings;
};

/// Returns the hosts whose bus calibration is in `directory` or its bus/ or sampling/bus/, sorted.
[[nodiscard]] std::vector<std::string> starpu_bus_hosts(std::filesystem::path const& directory);

/// Reads the bus of one node from StarPU's bus calibration: HOST.config, .affinity, .bandwidth, .latency and
/// .platform.v4.xml in `directory` or its bus/ or sampling/bus/. Links keep the values and names of the XML; OpenCL devices and
/// disks are omitted. Throws InputError if a file is missing or malformed.
StarpuBusImport read_starpu_bus(std::filesystem::path const& directory, std::string const& host);

}  // namespace factosim
