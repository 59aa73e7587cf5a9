#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/starpu_history.hpp"
#include "models/timing_checks.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

struct StarpuImportOptions {
  std::string host;     // the files' extension (STARPU_HOSTNAME); empty: the only one
  std::string machine;  // empty: the host
  std::string provenance;
  DeviceModels devices;  // for the check against peaks
  ImplausibleTiming implausible = ImplausibleTiming::refuse;
  /// {name, meaning}: a codelet of that name is read as the one that `meaning` names (`parse_starpu_symbol`); or the
  /// timings of the kernel `name` are also those of the kernel `meaning`, where it has none.
  std::map<std::string, std::string> renames{};
};

struct StarpuImport {
  KernelModel model;
  std::vector<Finding> findings;  // in file order, then findings about the whole
};

/// Reads kernel timings from directories of StarPU performance models: ~/.starpu, its sampling/, the codelets/ in
/// it, one version of them (45 to 42), a folder of such files or one of them. Of the versions of one file the latest is read.
/// Everything that is ignored or suspicious, malformed files too, is reported as a finding; the lasting ones are also
/// in the model. Of duplicates the first is kept, in the order of directories and file names; of implementations that
/// which StarPU expects to be faster. Histories are kept of all kernels and shapes. Throws InputError if no timing is usable, or one is implausible and refused.
StarpuImport read_starpu_models(std::vector<std::filesystem::path> const& directories,
                                StarpuImportOptions const& options);

/// The same of histories that are read already; `host`: their machine.
StarpuImport import_histories(std::vector<StarpuHistory> histories, StarpuImportOptions const& options);

}  // namespace factosim
