#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "simulator/report/figures/figure.hpp"

namespace factosim {

/// Returns true if the name ends in `.svg`, `.pdf`, `.png`, `.csv` or `.json`.
[[nodiscard]] bool is_figure_name(std::filesystem::path const& file);

/// Throws the InputError that `write_figure` would throw for the name, also where pictures cannot be drawn.
void check_figure_name(std::filesystem::path const& file);

/// Writes a figure in the format of the file's name: `.csv`, its numbers; `.json`, its content; `.svg`, also to standard
/// output ("-"), `.pdf` and `.png`, a picture (`draw_figures`). The write is atomic. Throws InputError for other names.
void write_figure(std::filesystem::path const& file, Figure const& figure);

/// A picture to draw: "svg", "pdf" or "png".
struct FigureJob {
  Figure const* figure;
  std::string format;
};

/// Draws figures by matplotlib in one process of Python and returns the bytes of their files. The interpreter is that of
/// the environment variable FACTOSIM_PYTHON, or else python3 of the PATH, or else /usr/bin/python3, of which the first
/// that has matplotlib is taken. Deterministic for one version of matplotlib. Throws InputError, naming `where`, if
/// pictures cannot be drawn, or naming an option that matplotlib refuses.
[[nodiscard]] std::vector<std::string> draw_figures(std::span<FigureJob const> jobs,
                                                    std::string const& where);

}  // namespace factosim
