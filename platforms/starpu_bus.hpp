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

/// Reads the bus of one node from StarPU's bus calibration: HOST.config, .bandwidth, .latency and .platform.v4.xml (or
/// .platform.xml) in `directory` or its bus/ or sampling/bus/. Links keep the values and names of the XML. CUDA, HIP or
/// SYCL devices are the GPUs; others are omitted, with a lasting finding. Throws InputError if a file is malformed.
StarpuBusImport read_starpu_bus(std::filesystem::path const& directory, std::string const& host);

}  // namespace factosim
