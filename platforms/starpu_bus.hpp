#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

struct StarpuBusImport {
  /// Named after the host, with cores, GPUs and bus. What StarPU does not know is left at its default: RAM
  /// size, kernels, network card.
  NodeType type;
  std::vector<Finding> findings;
};

/// The inside of one node from StarPU's bus calibration: HOST.config, .affinity, .bandwidth, .latency and
/// .platform.v4.xml in `directory` or its bus/. Links keep the values and names of the XML; OpenCL devices
/// and disks are dropped. Throws InputError where a file is missing or malformed.
StarpuBusImport read_starpu_bus(std::filesystem::path const& directory, std::string const& host);

}  // namespace factosim
