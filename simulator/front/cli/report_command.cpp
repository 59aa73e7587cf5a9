#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/cli/figure_choices.hpp"
#include "simulator/front/runs/run_files.hpp"
#include "simulator/report/figures/figure_file.hpp"
#include "simulator/report/figures/run_figure.hpp"
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
                     fmt::format("is missing (\"{}\" is the name of a figure, and the page of all "
                                 "panels is HTML). Choose panels, or a name that ends in .html",
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
      .path(
          "runs", a.runs,
          "One to four, each the folder of a run, its result.json, or a trace in any format that is read; or "
          "the folder of one sweep")
      ->required()
      ->expected(1, 4);
  options.output(
      a.output,
      "Page to write (HTML), or figure (.svg, .pdf, .png; its numbers: .csv; all of it: .json); - for "
      "standard output (HTML or SVG)");
  options.add(
      "--figure", a.figure,
      fmt::format("Draw one panel for a paper, or several below each other, with commas between: {}. Of "
                  "a sweep: columns, such as makespan_s,speedup",
                  fmt::join(figure_names(), ", ")),
      "PANELS");
  options.add("--x", a.columns.x, "Column of a sweep that is the axis, such as nodes", "COLUMN");
  options.add("--lines", a.columns.lines,
              "Column of a sweep of which each value has a line, such as distribution", "COLUMN");
  add_figure_choices(options, a.choices);
  options.force(a.force, "Replace what is there already");
}

}  // namespace factosim
