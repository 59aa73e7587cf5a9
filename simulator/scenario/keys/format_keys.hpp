#pragma once

#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The keys of "tile_formats" of an application.
[[nodiscard]] Object<TileFormats> const& object_of(TileFormats const* any);

/// Reads "tile_formats". `parameters` have all keys common to applications. Throws InputError.
[[nodiscard]] TileFormats read_tile_formats(JsonReader const& json, ApplicationParameters const& parameters);

}  // namespace factosim
