#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The keys of a family of scenarios, "factosim-family".
[[nodiscard]] ObjectKeys const& family_table();

/// Something in which the scenarios of a family differ.
struct FamilyAxis {
  std::string name;  // a JSON pointer; else the values are objects of pointers and their values
  std::vector<nlohmann::json> values{};  // alternatives; empty: a range
  double from = 0, to = 0;
  bool whole = false;        // whole numbers only
  bool logarithmic = false;  // equal ratios are equally likely
};

/// A scenario of a family: for each axis a number in [0, 1[.
using FamilyPlace = std::vector<double>;

/// Scenarios that differ in some keys.
struct ScenarioFamily {
  std::string file;  // relative paths in the scenario start from its folder
  nlohmann::json scenario;
  std::vector<FamilyAxis> axes;

  /// Returns the keys, by JSON pointer, and their values at a place.
  [[nodiscard]] std::vector<std::pair<std::string, nlohmann::json>> values(FamilyPlace const& place) const;
  /// Returns the scenario at a place. Throws InputError if a key cannot exist in it.
  [[nodiscard]] nlohmann::json at(FamilyPlace const& place) const;
};

/// Reads a family. Throws InputError.
[[nodiscard]] ScenarioFamily read_family(std::filesystem::path const& file);

/// All applications, with 2 to 12 tiles in a row, on one to four nodes of four shipped machines, with different numbers of GPUs
/// and cores in use and different networks. Not every machine has timings for every application.
[[nodiscard]] ScenarioFamily shipped_family();

}  // namespace factosim
