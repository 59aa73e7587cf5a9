#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/studies/search/format_choices.hpp"

namespace factosim {

/// The tiles of a matrix, their formats, and how the tasks on them are split while the run goes on.
struct TileChoice {
  int nb = 0;              // rows of a tile
  int part = 0;            // rows of a part of a tile; 0: tasks are not split
  std::string splitter{};  // empty: tasks are not split
  FormatChoice formats{};  // without a name: those of the scenario

  [[nodiscard]] bool splits() const { return part > 0; }
  /// Returns "960", "960 split into 320 by always", or "960 in DP/SP".
  [[nodiscard]] std::string description() const;
  /// Returns the value of `application/recursive`; null: tasks are not split.
  [[nodiscard]] nlohmann::json recursive() const;
  /// Sets the tiles of a scenario whose matrix has that many rows.
  void apply(nlohmann::json& scenario, int rows) const;
};

/// Sizes, splitters and formats to choose from. Empty lists: those of the scenario.
struct TileOptions {
  std::vector<int> tile_sizes{}, part_sizes{};
  std::vector<std::string> splitters{};
  std::vector<FormatChoice> formats{};
};

/// Returns the tile sizes without splitting, then each with the part sizes that divide it and the splitters. A scenario
/// with recursive tasks, or a part size that is given, has parts: then all splitters are choices, and the parts as tiles
/// of their own too, unless the options say otherwise. Given formats are choices of each size. Throws InputError naming `file` if the application's tasks cannot
/// be split, or no tile is divided by a given size of its parts.
[[nodiscard]] std::vector<TileChoice> tile_choices(TileOptions options, Application const& application,
                                                   ApplicationParameters const& parameters,
                                                   std::string const& file);

}  // namespace factosim
