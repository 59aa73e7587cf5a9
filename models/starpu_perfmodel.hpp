#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/timing_checks.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

struct StarpuImportOptions {
  std::string host;     // the files' extension (STARPU_HOSTNAME); empty: the only one
  std::string machine;  // empty: the host
  std::string provenance;
  DeviceModels devices;  // for the check against peaks
};

struct StarpuImport {
  KernelModel model;
  std::vector<Finding> findings;  // in file order, then findings about the whole
};

/// Reads kernel timings from directories of StarPU performance models, each with or without codelets/45
/// inside. Everything that is ignored or suspicious is reported as a finding. Of duplicate timings the first
/// is kept, in the order of directories and file names. Throws InputError if a file is malformed or there are
/// no files.
StarpuImport read_starpu_models(std::vector<std::filesystem::path> const& directories,
                                StarpuImportOptions const& options);

}  // namespace factosim
