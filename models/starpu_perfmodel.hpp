#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/timing_checks.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

struct StarpuImportOptions {
  std::string host;     // the files' extension (STARPU_HOSTNAME); empty: the only one there is
  std::string machine;  // empty: the host
  std::string provenance;
  DeviceModels devices;  // for the check against peaks
};

struct StarpuImport {
  KernelModel model;
  std::vector<Finding> findings;  // in the order of the files, then what only shows in the whole
};

/// Kernel timings from directories of StarPU performance models, each with or without codelets/45 inside.
/// Nothing is dropped silently: what is left out or looks wrong is a finding. Of two timings of the same
/// thing the first, in the order of directories and file names, is kept. Throws InputError where a file is
/// malformed or where there are none.
StarpuImport read_starpu_models(std::vector<std::filesystem::path> const& directories,
                                StarpuImportOptions const& options);

}  // namespace factosim
