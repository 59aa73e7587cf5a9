#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/runs/run_files.hpp"
#include "simulator/report/figures/figure.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/studies/sweep/sweep_folder.hpp"
#include "simulator/studies/sweep/sweep_report.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

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
    throw InputError(
        option + "#",
        fmt::format("is \"{}\" (a range is FIRST:LAST, and increases). Give one such as 0:40", text));
  if (axis.logarithmic && !(axis.range->first > 0))
    throw InputError(option + "#", "does not begin above 0 (the axis is logarithmic). Give another one");
}

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

/// Throws InputError that names the option which cannot be understood.
FigureOptions figure_options(FigureChoices const& c) {
  FigureOptions out;
  if (!c.size.empty()) {
    auto const both = pair_of_numbers(c.size, 'x');
    auto const width = both ? std::optional(both->first) : number(c.size);
    double const height = both ? both->second : 0;
    if (!width || *width < 20 || *width > 2000 || (both && (height < 20 || height > 2000)))
      throw InputError(
          "--size#",
          fmt::format("is \"{}\" (a width, or WIDTHxHEIGHT, from 20 to 2000 mm). Give one such as 88x60",
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

struct ReportArguments {
  std::vector<fs::path> runs;
  fs::path output;
  std::string figure;  // panels with commas between; of a sweep: columns
  SweepColumns columns;
  FigureChoices choices;
  bool force = false;
};

/// Reads a run and prints what is to be told about its files.
RunView reported(fs::path const& path, bool single_tasks) {
  RunFiles files = read_run_files(path, single_tasks);
  warn_of(files.findings);
  for (std::string const& note : files.notes) print_note("factosim: " + note);
  for (std::string const& warning : files.warnings) print_warning(warning);
  return std::move(files.view);
}

/// Returns the panels to draw.
std::vector<std::string> figure_panels(ReportArguments const& arguments) {
  std::vector<std::string> out;
  std::istringstream list(arguments.figure);
  for (std::string name; std::getline(list, name, ',');) out.push_back(name);
  check_panels(out, arguments.runs.size(), "--figure#");
  return out;
}

void draw_figure(ReportArguments const& arguments) {
  check_figure_name(arguments.output);
  std::vector<std::string> const panels = figure_panels(arguments);
  std::vector<RunView> runs;
  for (fs::path const& path : arguments.runs) {
    runs.push_back(reported(path, false));
    check_data(runs.back(), path, panels, "--figure#");
  }
  write_figure(arguments.output, figure_of_runs(runs, panels, figure_options(arguments.choices)));
}

void write_pages(ReportArguments const& arguments) {
  std::vector<RunView> runs;
  for (fs::path const& path : arguments.runs) runs.push_back(reported(path, true));
  write_page(arguments.output, runs);
}

void report_runs(ReportArguments const& arguments) {
  if (!arguments.columns.x.empty() || !arguments.columns.lines.empty())
    throw InputError("--x#", "chooses, as --lines, a column of a sweep (runs have none). Leave them out");
  if (arguments.figure.empty())
    write_pages(arguments);
  else
    draw_figure(arguments);
}

void report_sweep(ReportArguments const& arguments, fs::path const& folder) {
  if (arguments.runs.size() > 1)
    throw InputError(folder.string() + "#",
                     "is a sweep (a page shows one sweep, or one to four runs). Name it alone");
  SweepRecord const record = read_sweep_folder(folder);
  if (arguments.figure.empty())
    write_sweep_report(arguments.output, folder, record, arguments.columns);
  else
    draw_sweep_figure(arguments.output, record, arguments.figure, arguments.columns,
                      figure_options(arguments.choices));
}

void report(ReportArguments const& arguments) {
  if (std::string const why = why_removed(RemovedFrom::file_endings, arguments.output.extension().native());
      !why.empty())
    throw InputError(arguments.output.string() + "#", fmt::format("is not a figure any more {}", why));
  if (arguments.figure.empty() && is_figure_name(arguments.output))
    throw InputError("--figure#",
                     fmt::format("is missing (\"{}\" is the name of a figure, and the page of all panels is "
                                 "HTML). Choose panels, or a name that ends in .html",
                                 arguments.output.string()));
  if (arguments.figure.empty() && arguments.choices.any())
    throw InputError("--figure#",
                     "is missing (the options of figures do not apply to pages). Name panels or columns");
  refuse_to_overwrite(arguments.output, arguments.force);
  make_folder_of(arguments.output);
  std::optional<fs::path> sweep;
  for (fs::path const& path : arguments.runs)
    if (!sweep) sweep = sweep_folder(path);
  if (sweep)
    report_sweep(arguments, *sweep);
  else
    report_runs(arguments);
  std::string const what = fmt::format("{} {}{}", arguments.runs.size(), sweep ? "sweep" : "run",
                                       arguments.runs.size() == 1 ? "" : "s");
  if (arguments.output == standard_stream) return print_written(arguments.output, what);
  print_written(arguments.output,
                fmt::format("{}, {}", what,
                            format_bytes(Bytes{static_cast<std::int64_t>(fs::file_size(arguments.output))})));
}

}  // namespace

void add_report_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "report",
      "Show runs, simulated or real, or a sweep, on one page that opens in any browser, or draw figures",
      report,
      "Example: factosim report results/first -o results/first.html\n"
      "         factosim report results/first --figure iterations,nodes,memory -o results/first.svg\n"
      "         factosim report results/fig13 -o results/fig13.html\n"
      "         factosim report results/fig13 --figure makespan_s --size 88x60 --font-size 8 -o fig13.pdf\n"
      "See scenarios/reports.md for the panels.");
  options
      .path("runs", a.runs,
            "One to four, each the folder of a run, its result.json, or a trace in any format that is read; "
            "or the folder of one sweep")
      ->required()
      ->expected(1, 4);
  options.output(a.output,
                 "Page to write (HTML), or figure (.svg, .pdf, .png; its numbers: .csv; all of it: .json); - "
                 "for standard output (HTML or SVG)");
  options.add("--figure", a.figure,
              fmt::format("Draw one panel for a paper, or several below each other, with commas between: {}. "
                          "Of a sweep: columns, such as makespan_s,speedup",
                          fmt::join(figure_names(), ", ")),
              "PANELS");
  options.add("--x", a.columns.x, "Column of a sweep that is the axis, such as nodes", "COLUMN");
  options.add("--lines", a.columns.lines,
              "Column of a sweep of which each value has a line, such as distribution", "COLUMN");
  add_figure_choices(options, a.choices);
  options.force(a.force, "Replace what is there already");
}

}  // namespace factosim
