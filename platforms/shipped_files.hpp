#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Files that a scenario or a platform may give by name instead of by path.
enum class ShippedKind {
  platform,  // FOLDER/platforms/NAME.json
  kernels,   // FOLDER/models/kernels/NAME.json
  network,   // FOLDER/platforms/networks/NAME.json
  disk,      // FOLDER/platforms/disks/NAME.json
  example,   // FOLDER/scenarios/examples/NAME.json, a scenario, or NAME.sweep.json
};

/// Returns the folders whose files have names, in order: those of the environment variable FACTOSIM_PATH (with colons
/// between), the data of the installation of this program, those of the installation as configured, and the
/// project's source; only those that exist.
[[nodiscard]] std::vector<std::filesystem::path> data_folders();
/// The same without those of FACTOSIM_PATH: for programs, which no input may replace.
[[nodiscard]] std::vector<std::filesystem::path> program_folders();

/// Returns all files of a kind in the data folders by their names. Of two with one name, the first is found.
[[nodiscard]] std::map<std::string, std::filesystem::path> shipped_files(ShippedKind kind);

/// Returns their names.
[[nodiscard]] std::vector<std::string> shipped_names(ShippedKind kind);

/// Returns the file with a name: the file NAME in `folder`, or NAME.json there if its content is of the kind, else as
/// `shipped_files`. Text with a slash is a path and no name. Nothing is returned for paths and for names without a
/// file.
[[nodiscard]] std::optional<std::filesystem::path> file_named(ShippedKind kind, std::string_view name,
                                                              std::filesystem::path const& folder);

/// Reads a path, or the name of a file of the kind. A path need not exist. Throws InputError if no file has the name.
[[nodiscard]] std::filesystem::path read_path_or_name(JsonReader const& json, ShippedKind kind);

/// Calls `visit` for each text of a scenario's "platform" that names a file: the platform or those that it merges, kernel
/// timings and networks.
void visit_file_names(nlohmann::json& platform,
                      std::function<void(nlohmann::json& text, ShippedKind kind)> const& visit);

}  // namespace factosim
