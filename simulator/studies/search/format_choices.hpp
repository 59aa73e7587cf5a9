#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Formats of tiles that a user may accept, and the error that they cause.
struct FormatChoice {
  std::string name;
  double error = 0;  // in the measure of the file
  nlohmann::json
      tile_formats{};  // value of `application/tile_formats`; null: all tiles are full, in `precision`
};

/// Reads a `factosim-format-errors` file, and returns the choices whose error is at most `max_error`. Throws InputError, and
/// InfeasibleError if no choice remains.
[[nodiscard]] std::vector<FormatChoice> read_format_choices(std::filesystem::path const& file,
                                                            double max_error);

}  // namespace factosim
