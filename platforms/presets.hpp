#pragma once

#include <filesystem>
#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// A usual network: its cards, its switches, which never limit by default, and how messages share a connection.
struct NetworkPreset {
  std::string name;  // as given: a name or a path
  LinkRate nic;      // each of the two cards that a message crosses; its latency is half of that of a message
  std::uint32_t nics = 1;  // cards of a node
  NetworkSpec spec{};      // without subnets; its core switch never limits
  std::string description{};
};

/// The keys of a `factosim-network` file.
[[nodiscard]] ObjectKeys const& network_preset_table();

/// Reads a `factosim-network` file. Throws InputError.
[[nodiscard]] NetworkPreset read_network_file(std::filesystem::path const& file);

/// Reads the network that a JSON text names: a shipped one by its name, or a file by its path. Throws InputError.
[[nodiscard]] NetworkPreset read_network_preset(JsonReader const& json);

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
