#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// Formats of tiles that a user may accept, and the error that they cause.
struct FormatChoice {
  std::string name;
  double error = 0;  // in the measure of the file
  nlohmann::json
      tile_formats{};  // value of `application/tile_formats`; null: all tiles are full, in `precision`
};

/// The keys of a choice, and of a `factosim-format-errors` file.
[[nodiscard]] Object<FormatChoice> const& object_of(FormatChoice const* any);
[[nodiscard]] ObjectKeys const& format_errors_table();

/// Reads a `factosim-format-errors` file, and returns the choices whose error is at most `max_error`. Throws InputError, and
/// InfeasibleError if no choice remains.
[[nodiscard]] std::vector<FormatChoice> read_format_choices(std::filesystem::path const& file,
                                                            double max_error);

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

/// Returns the variants of a distribution that advise chooses from, as a scenario's "distribution": for block-cyclic, every grid of
/// exactly these nodes with p <= q; for layers, two and three of 1Dx1D-C; otherwise the distribution itself.
[[nodiscard]] std::vector<nlohmann::json> distribution_choices(std::string const& name, int nodes);

/// The placement of a graph's tasks that stands among distributions.
inline constexpr char const* by_earliest_finish = "earliest-finish";

/// Makes a scenario place its data, or the tasks of its graph, by a choice.
void apply_distribution(nlohmann::json& scenario, nlohmann::json const& choice);

/// Returns "block-cyclic 2 x 4", "2 layers of 1d1d-c" or the name of the distribution.
[[nodiscard]] std::string distribution_text(nlohmann::json const& choice);

}  // namespace factosim
