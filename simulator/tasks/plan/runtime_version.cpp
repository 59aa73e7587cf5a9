#include "simulator/tasks/plan/runtime_version.hpp"

#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<RuntimeVersion, 2> named_versions{
    .what = "version", .values = {{{RuntimeVersion::v1_4, "1.4"}, {RuntimeVersion::v1_5, "1.5"}}}};

}  // namespace

std::string_view name_of(RuntimeVersion version) { return named_versions.name_of(version); }

std::vector<std::string> runtime_version_names() { return named_versions.names(); }

RuntimeVersion runtime_version_named(std::string_view wanted) { return named_versions.named(wanted); }

RuntimeOptions with_version(RuntimeOptions options, RuntimeVersion version) {
  options.version = version;
  for (VersionedSwitch const& versioned : versioned_switches)
    options.*versioned.option = version == RuntimeVersion::v1_4 ? versioned.v1_4 : versioned.v1_5;
  return options;
}

}  // namespace factosim
