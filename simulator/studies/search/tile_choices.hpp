#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/studies/search/format_choices.hpp"

namespace factosim {

/// The tiles of a matrix and their formats.
struct TileChoice {
  int nb = 0;              // rows of a tile
  FormatChoice formats{};  // without a name: those of the scenario

  /// Returns "960" or "960 in DP/SP".
  [[nodiscard]] std::string description() const;
  /// Sets the tiles of a scenario whose matrix has that many rows.
  void apply(nlohmann::json& scenario, int rows) const;
};

/// Sizes and formats to choose from. Empty lists: those of the scenario.
struct TileOptions {
  std::vector<int> tile_sizes{};
  std::vector<FormatChoice> formats{};
};

/// Returns the tile sizes; given formats are choices of each size. Throws InputError naming `file` if the application's
/// tasks are split, or its tiles have one format.
[[nodiscard]] std::vector<TileChoice> tile_choices(TileOptions options, Application const& application,
                                                   ApplicationParameters const& parameters,
                                                   std::string const& file);

}  // namespace factosim
