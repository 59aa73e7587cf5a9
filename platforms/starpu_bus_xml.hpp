#pragma once

#include <filesystem>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

/// GPUs, links and routes of one node; `Bus::predicted` is empty.
struct BusXml {
  std::vector<GpuSpec> gpus;
  Bus bus;
};

/// Reads the SimGrid description of one node that StarPU writes, HOST.platform.v4.xml.
BusXml read_bus_xml(std::filesystem::path const& file, std::vector<Finding>& findings);

}  // namespace factosim
