#pragma once

#include <filesystem>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The disk that is assumed where a run computes out of core and its node types have none.
inline constexpr char const* default_disk = "sata-ssd";

/// The keys of a disk inside a node type, and those of a `factosim-disk` file.
[[nodiscard]] Object<DiskSpec> const& object_of(DiskSpec const* any);
[[nodiscard]] ObjectKeys const& disk_preset_table();

/// Reads a `factosim-disk` file. Throws InputError.
[[nodiscard]] DiskSpec read_disk_file(std::filesystem::path const& file);

/// Reads a disk: an object with its keys, the name of a shipped one, or the path of a file. Throws InputError.
[[nodiscard]] DiskSpec read_disk(JsonReader const& json);

/// Returns the shipped disk that is assumed where none is described.
[[nodiscard]] DiskSpec assumed_disk();

}  // namespace factosim
