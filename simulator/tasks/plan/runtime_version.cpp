#include "simulator/tasks/plan/runtime_version.hpp"

namespace factosim {

RuntimeOptions with_version(RuntimeOptions options, RuntimeVersion version) {
  options.version = version;
  for (VersionedSwitch const& versioned : versioned_switches)
    options.*versioned.option = version == RuntimeVersion::v1_4 ? versioned.v1_4 : versioned.v1_5;
  return options;
}

}  // namespace factosim
