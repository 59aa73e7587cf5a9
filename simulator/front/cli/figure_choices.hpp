#pragma once

#include <optional>
#include <string>

#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figure.hpp"

namespace factosim {

/// The options of figures on the command line, as they are given.
struct FigureChoices {
  std::string size, font, palette, style, x_range, y_range, log;
  std::optional<std::string> title, x_label, y_label;
  double font_pt = 0;

  [[nodiscard]] bool any() const {
    return !(size + font + palette + style + x_range + y_range + log).empty() || title || x_label ||
           y_label || font_pt != 0;
  }
};

void add_figure_choices(CommandOptions& options, FigureChoices& choices);

/// Throws InputError that names the option which cannot be understood.
[[nodiscard]] FigureOptions figure_options(FigureChoices const& choices);

}  // namespace factosim
