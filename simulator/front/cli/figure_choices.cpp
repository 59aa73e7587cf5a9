#include "simulator/front/cli/figure_choices.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "factosim/error.hpp"

namespace factosim {

namespace {

std::optional<double> number(std::string_view text) {
  double out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out)) return std::nullopt;
  return out;
}

/// Returns the two numbers around the separator, if there are two.
std::optional<std::pair<double, double>> pair_of_numbers(std::string_view text, char separator) {
  auto const at = text.find(separator);
  if (at == text.npos) return std::nullopt;
  auto const first = number(text.substr(0, at)), second = number(text.substr(at + 1));
  return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

void set_range(AxisOptions& axis, std::string const& option, std::string const& text) {
  if (text.empty()) return;
  axis.range = pair_of_numbers(text, ':');
  if (!axis.range || !(axis.range->first < axis.range->second))
    throw InputError(option + "#",
                     fmt::format("is \"{}\" (a range is FIRST:LAST, and increases). Give one such as "
                                 "0:40",
                                 text));
  if (axis.logarithmic && !(axis.range->first > 0))
    throw InputError(option + "#", "does not begin above 0 (the axis is logarithmic). Give another one");
}

}  // namespace

void add_figure_choices(CommandOptions& options, FigureChoices& c) {
  auto const add = [&](char const* name, auto& value, char const* help, char const* shown) {
    options.add(name, value, help, shown)->group("Figures");
  };
  add("--size", c.size, "Width of the figure in mm, or WIDTHxHEIGHT, such as 88x60", "MM");
  options.add("--font-size", c.font_pt, "Height of the letters in points, such as 8")->group("Figures");
  add("--font", c.font, "Family of the letters, such as \"Times New Roman\"", "NAME");
  add("--palette", c.palette, "Colours: color (for colour-blind readers too), or grey", "NAME");
  add("--style", c.style, "Style file of matplotlib (.mplstyle), or a name of its own styles", "FILE");
  add("--title", c.title, "Title; empty: none", "TEXT");
  add("--x-label", c.x_label, "Label of the x axis", "TEXT");
  add("--y-label", c.y_label, "Label of the y axis, of a sweep", "TEXT");
  add("--x-range", c.x_range, "First and last x, or seconds of runs: FIRST:LAST", "RANGE");
  add("--y-range", c.y_range, "The same of y, of a sweep: FIRST:LAST", "RANGE");
  add("--log", c.log, "Logarithmic axes of a sweep: x, y or xy", "AXES");
}

FigureOptions figure_options(FigureChoices const& c) {
  FigureOptions out;
  if (!c.size.empty()) {
    auto const both = pair_of_numbers(c.size, 'x');
    auto const width = both ? std::optional(both->first) : number(c.size);
    double const height = both ? both->second : 0;
    if (!width || *width < 20 || *width > 2000 || (both && (height < 20 || height > 2000)))
      throw InputError("--size#",
                       fmt::format("is \"{}\" (a width, or WIDTHxHEIGHT, from 20 to 2000 mm). Give one such "
                                   "as 88x60",
                                   c.size));
    out.width_mm = *width;
    out.height_mm = height;
  }
  if (c.font_pt != 0 && !(c.font_pt >= 3 && c.font_pt <= 100))
    throw InputError("--font-size#",
                     fmt::format("is {} (letters have 3 to 100 points). Give one such as 8", c.font_pt));
  out.font_pt = c.font_pt;
  out.font = c.font;
  if (!c.palette.empty() && c.palette != "color" && c.palette != "grey")
    throw InputError("--palette#",
                     fmt::format("is \"{}\" (there are color and grey). Choose one", c.palette));
  out.grey = c.palette == "grey";
  out.style = c.style;
  if (!c.log.empty() && c.log != "x" && c.log != "y" && c.log != "xy")
    throw InputError("--log#", fmt::format("is \"{}\" (axes are x, y or xy). Choose one", c.log));
  out.x.logarithmic = c.log.starts_with('x');
  out.y.logarithmic = c.log.ends_with('y');
  out.title = c.title;
  out.x.label = c.x_label;
  out.y.label = c.y_label;
  set_range(out.x, "--x-range", c.x_range);
  set_range(out.y, "--y-range", c.y_range);
  return out;
}

}  // namespace factosim
