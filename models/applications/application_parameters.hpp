#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

using KeyValue = std::variant<bool, std::int64_t, double, std::string>;

/// A key of "application" in a scenario that belongs to one application. The type of the default value is the
/// type of the key: a boolean, an integer from 1 to `maximum`, a positive number, or one of `choices`.
struct ApplicationKey {
  std::string name;
  std::string description;
  KeyValue default_value;
  std::vector<std::string> choices{};
  std::int64_t maximum = std::numeric_limits<std::int32_t>::max();
};

/// The problem that an application solves: the keys common to all applications and the values of its own.
struct ApplicationParameters {
  int nt = 0;  // tiles in a row and in a column of the matrix
  int nb = 0;  // rows and columns of a tile
  Precision precision = Precision::double_;
  std::string variant = "starpu";                // selects order of submission and priorities
  std::optional<int> n{};                        // rows of the matrix if its last tiles are smaller than nb
  std::map<std::string, KeyValue> own_values{};  // of the application's own keys; else their defaults
};

/// Returns the value given for a key, or its default.
[[nodiscard]] KeyValue const& value_of(ApplicationParameters const& parameters, ApplicationKey const& key);
/// Returns the value of the key named `name` among `keys`. Throws std::out_of_range if there is no such key.
[[nodiscard]] KeyValue const& value_of(ApplicationParameters const& parameters,
                                       std::span<ApplicationKey const> keys, std::string_view name);

/// Rows of the matrix.
[[nodiscard]] std::int64_t matrix_rows(ApplicationParameters const& parameters);
/// Rows of the tiles in row m of tiles: nb, or fewer in the last row.
[[nodiscard]] int rows_of_tile(ApplicationParameters const& parameters, int m);
/// Size of a full tile.
[[nodiscard]] Bytes tile_bytes(ApplicationParameters const& parameters);

}  // namespace factosim
