#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// A colour of the sRGB space.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(Color const&) const = default;
};

/// Returns the colour in CSS notation: "#0072b2".
[[nodiscard]] std::string hex_of(Color color);

/// JSON has the text.
inline void to_json(nlohmann::ordered_json& out, Color color) { out = hex_of(color); }

/// A name and its colour on pages and figures.
struct NamedColor {
  std::string name;
  Color color;
};

/// Returns the colours of kernels, distinguishable by colour-blind readers and in print (the palette of
/// Okabe and Ito, with darker shades if a family has several kernels): products green, triangular solves
/// blue, factorizations of a diagonal tile vermilion, symmetric updates purple, generation yellow, others
/// orange, violet, brown, cyan, crimson and olive. A name has the same colour in all runs with the same kernels.
[[nodiscard]] std::vector<Color> kernel_colors(std::vector<std::string> const& names);

/// Returns the kinds of wait (`Wait`) with names and colours: greyed tints, which no kernel has.
[[nodiscard]] std::vector<NamedColor> const& wait_colors();
/// Returns the colour of a state that a real trace names; `place`: its index, for unknown names.
[[nodiscard]] Color state_color(std::string_view name, std::size_t place);

/// Returns the colour of a value in a heat map, from pale yellow (share 0) to dark blue (1).
[[nodiscard]] Color heat_map_color(double share);

/// Colours of curves, in this order.
[[nodiscard]] std::vector<Color> const& curve_colors();

/// Colours of nodes: shades of one hue per type, with high contrast between nodes whose tiles are
/// neighbours.
struct NodeColors {
  std::vector<std::string> types;    // in the order of their first nodes
  std::vector<std::uint32_t> type;   // [nodes] index into types
  std::vector<std::uint32_t> shade;  // [nodes] from light to dark
  std::vector<Color> color;          // [nodes]
};

/// Chooses the colours. Hues are given to types in the order of their first nodes: blue, orange, grey,
/// green, purple, then again from the first. O(tiles log tiles + pairs of neighbours).
[[nodiscard]] NodeColors node_colors(TileMap const& map, std::span<std::string const> node_types);

}  // namespace factosim
