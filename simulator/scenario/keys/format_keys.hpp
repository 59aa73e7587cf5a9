#pragma once

#include <nlohmann/json.hpp>

#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The keys of "tile_formats" of an application.
[[nodiscard]] ObjectKeys const& tile_formats_table();

/// Reads "tile_formats". `parameters` have all keys common to applications. Throws InputError.
[[nodiscard]] TileFormats read_tile_formats(JsonReader const& json, ApplicationParameters const& parameters);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_tile_formats(TileFormats const& formats);

}  // namespace factosim
