#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/color.hpp"
#include "simulator/analysis/time_breakdown.hpp"

namespace factosim {

/// A name and its colour in pictures of a run.
struct NamedColor {
  std::string name;
  Color color;
};

/// Colours of kernels, told apart by colour-blind readers and in print (Okabe and Ito's, and darker shades of
/// them where a family has several): products green, triangular solves blue, factorizations of a diagonal
/// tile vermilion, symmetric updates purple, generation yellow, others orange and grey. A name has the same
/// colour in every run that has the same kernels.
[[nodiscard]] std::vector<Color> kernel_colors(std::vector<std::string> const& names);

/// What a worker does when it runs nothing: by our account of it, with colours.
[[nodiscard]] std::vector<NamedColor> wait_colors();
/// The same of a state that a real trace names.
[[nodiscard]] Color state_color(std::string_view name, std::size_t place);

/// Returns the colour of a value in a heat map, from pale yellow (share 0) to dark blue (1).
[[nodiscard]] Color heat_map_color(double share);

/// Colours of curves, in this order.
[[nodiscard]] std::vector<Color> const& curve_colors();

}  // namespace factosim
