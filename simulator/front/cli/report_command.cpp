#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/runs/run_files.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/studies/sweep/sweep_folder.hpp"
#include "simulator/studies/sweep/sweep_report.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<fs::path> runs;
  fs::path output;
  std::string figure;  // panels with commas between; of a sweep: columns
  SweepColumns columns;
  FigureOptions options;
  bool has_options = false, force = false;
};

std::optional<double> number(std::string_view text) {
  auto const out = parsed<double>(text);
  return out && std::isfinite(*out) ? out : std::nullopt;
}

/// Returns the two numbers around the separator, if there are two.
std::optional<std::pair<double, double>> pair_of_numbers(std::string_view text, char separator) {
  auto const at = text.find(separator);
  if (at == text.npos) return std::nullopt;
  auto const first = number(text.substr(0, at)), second = number(text.substr(at + 1));
  return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

std::pair<double, double> range_of(std::string const& option, std::string const& text) {
  auto const out = pair_of_numbers(text, ':');
  if (!out || !(out->first < out->second))
    throw InputError(
        option, fmt::format("is \"{}\" (a range is FIRST:LAST, and increases). Give one such as 0:40", text));
  return *out;
}

void read_size(FigureOptions& options, std::string const& text) {
  auto const fits = [](double mm) { return mm >= 20 && mm <= 2000; };
  auto const both = pair_of_numbers(text, 'x');
  options.width_mm = both ? both->first : number(text).value_or(0);
  options.height_mm = both ? both->second : 0;
  if (!fits(options.width_mm) || (both && !fits(options.height_mm)))
    throw InputError(
        "--size#",
        fmt::format("is \"{}\" (a width, or WIDTHxHEIGHT, from 20 to 2000 mm). Give one such as 88x60",
                    text));
}

/// Adds the options of figures. Reading one throws an InputError that names it if it cannot be understood.
void add_figure_options(CommandOptions& options, ReportArguments& a) {
  FigureOptions& o = a.options;
  auto const add = [&](char const* name, char const* shown, char const* help, auto const& read) {
    auto const given = [&a, read](std::string const& text) {
      a.has_options = true;
      read(text);
    };
    options.read(name, given, help, shown)->group("Figures");
  };
  add("--size", "MM", "Width of the figure in mm, or WIDTHxHEIGHT, such as 88x60",
      [&o](std::string const& text) { read_size(o, text); });
  add("--font-size", "X", "Height of the letters in points, such as 8", [&o](std::string const& text) {
    o.font_pt = number(text).value_or(0);
    if (!(o.font_pt >= 3 && o.font_pt <= 100))
      throw InputError("--font-size#",
                       fmt::format("is {} (letters have 3 to 100 points). Give one such as 8", text));
  });
  add("--font", "NAME", "Family of the letters, such as \"Times New Roman\"",
      [&o](std::string const& text) { o.font = text; });
  add("--palette", "NAME", "Colours: color (for colour-blind readers too), or grey",
      [&o](std::string const& text) {
        o.grey = text == "grey";
        if (!o.grey && text != "color")
          throw InputError("--palette#",
                           fmt::format("is \"{}\" (there are color and grey). Choose one", text));
      });
  add("--style", "FILE", "Style file of matplotlib (.mplstyle), or a name of its own styles",
      [&o](std::string const& text) { o.style = text; });
  add("--title", "TEXT", "Title; empty: none", [&o](std::string const& text) { o.title = text; });
  add("--x-label", "TEXT", "Label of the x axis", [&o](std::string const& text) { o.x.label = text; });
  add("--y-label", "TEXT", "Label of the y axis, of a sweep",
      [&o](std::string const& text) { o.y.label = text; });
  add("--x-range", "RANGE", "First and last x, or seconds of runs: FIRST:LAST",
      [&o](std::string const& text) { o.x.range = range_of("--x-range#", text); });
  add("--y-range", "RANGE", "The same of y, of a sweep: FIRST:LAST",
      [&o](std::string const& text) { o.y.range = range_of("--y-range#", text); });
  add("--log", "AXES",
      "Logarithmic axes of a sweep: x, y, xy or none; x by default where its values grow by one factor",
      [&o](std::string const& text) {
        if (text != "x" && text != "y" && text != "xy" && text != "none")
          throw InputError("--log#", fmt::format("is \"{}\" (x, y, xy or none). Choose one", text));
        o.x.logarithmic = text.starts_with('x');
        o.y.logarithmic = text.ends_with('y');
      });
}

void check_logarithm(AxisOptions const& axis, std::string const& option) {
  if (axis.logarithmic.value_or(false) && axis.range && !(axis.range->first > 0))
    throw InputError(option, "does not begin above 0 (the axis is logarithmic). Give another one");
}

/// Reads a run and prints what is to be told about its files.
RunFiles reported(fs::path const& path, bool single_tasks) {
  RunFiles files = read_run_files(path, single_tasks);
  warn_of(files.findings);
  for (std::string const& note : files.notes) print_note("factosim: " + note);
  for (std::string const& warning : files.warnings) print_warning(warning);
  return files;
}

void draw_figure(ReportArguments const& arguments) {
  check_figure_name(arguments.output);
  std::vector<std::string> panels;
  std::istringstream list(arguments.figure);
  for (std::string name; std::getline(list, name, ',');) panels.push_back(name);
  auto const read = [](fs::path const& path) { return reported(path, false).view; };
  write_figure(arguments.output,
               figure_of_files(arguments.runs, panels, "--figure#", arguments.options, read));
}

void report_runs(ReportArguments const& arguments) {
  if (!arguments.columns.x.empty() || !arguments.columns.lines.empty())
    throw InputError("--x#", "chooses, as --lines, a column of a sweep (runs have none). Leave them out");
  if (!arguments.figure.empty()) return draw_figure(arguments);
  std::vector<RunFiles> runs;
  for (fs::path const& path : arguments.runs) runs.push_back(reported(path, true));
  write_page(arguments.output, std::move(runs));
}

void report_sweep(ReportArguments const& arguments, fs::path const& folder) {
  if (arguments.runs.size() > 1)
    throw InputError(folder.string() + "#",
                     "is a sweep (a page shows one sweep, or one to four runs). Name it alone");
  SweepRecord const record = read_sweep_folder(folder);
  if (arguments.figure.empty())
    write_sweep_report(arguments.output, folder, record, arguments.columns);
  else
    draw_sweep_figure(arguments.output, record, arguments.figure, arguments.columns, arguments.options);
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
  if (arguments.figure.empty() && arguments.has_options)
    throw InputError("--figure#",
                     "is missing (the options of figures do not apply to pages). Name panels or columns");
  check_logarithm(arguments.options.x, "--x-range#");
  check_logarithm(arguments.options.y, "--y-range#");
  refuse_to_overwrite(arguments.output, arguments.force);
  make_folder_of(arguments.output);
  std::optional<fs::path> sweep;
  for (fs::path const& path : arguments.runs) {
    if (!fs::exists(path)) (void)read_input(path);  // says so, before what only a run or a sweep can tell
    if (!sweep) sweep = sweep_folder(path);
  }
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
  options.force(a.force, "Replace what is there already");
  add_figure_options(options, a);
}

}  // namespace factosim
