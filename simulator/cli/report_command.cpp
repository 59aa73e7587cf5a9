#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "simulator/analysis/result_file.hpp"
#include "simulator/analysis/run_title.hpp"
#include "simulator/analysis/run_view.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/cli/figure_choices.hpp"
#include "simulator/core/format.hpp"
#include "simulator/core/input_files.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/report/figures/figure.hpp"
#include "simulator/report/figures/picture_file.hpp"
#include "simulator/report/page/run_page.hpp"
#include "simulator/simulation/recorded_run.hpp"
#include "simulator/sweep/sweep_folder.hpp"
#include "simulator/sweep/sweep_report.hpp"

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

/// Returns the scenario file that a result names; empty if it cannot be read any more.
std::string scenario_text(nlohmann::ordered_json const& result) {
  auto const provenance = result.find("provenance");
  if (provenance == result.end() || !provenance->is_object()) return {};
  auto const file = provenance->find("scenario");
  if (file == provenance->end() || !file->is_string()) return {};
  try {
    fs::path const path = file->get<std::string>();
    return fs::is_regular_file(path) ? read_input(path) : std::string();
  } catch (std::exception const&) {
    return {};
  }
}

void add_result(RunView& view, fs::path const& path) {
  auto const file = result_of(path);
  if (!file) return;
  nlohmann::json const document = parse_json_file(*file);
  JsonReader(document, file->string()).check_format("factosim-result", 1);
  view.result = parse_json_file_in_order(*file);
  view.scenario_text = scenario_text(view.result);
  for (std::string const& altered : compare_files(*file, document).altered) {
    print_warning(fmt::format("{}: {}", file->parent_path().string(), altered));
    view.result["findings"].push_back(altered);
  }
  if (auto const name = view.result.find("name"); name != view.result.end() && name->is_string())
    view.name = name->get<std::string>();
  if (view.name.empty()) view.name = title_of_result(view.result);
}

RunView view_without_trace(fs::path const& path) {
  fs::path const result = *result_of(path);
  fs::path const series = result.parent_path() / "series.json";
  bool const kept = fs::exists(series);
  print_note(fmt::format("factosim: {}: no run.trace was kept: {}", path.string(),
                         kept ? "the report shows its series" : "the report shows its result only"));
  return view_of_result(compared_result(result), kept ? &series : nullptr);
}

/// `single_tasks`: needed by pages, not by figures.
ReportedRun reported(fs::path const& path, bool single_tasks) {
  ReportedRun out;
  if (auto const trace = trace_of_run(path)) {
    warn_of(trace->findings);
    ComparedRun run = compared_run(*trace);
    run.summary.source = path.string();
    out.view = view_of_trace(*trace, std::move(run));
    bool const few = trace->task_count() <= max_detailed_tasks && trace->workers.size() < 65535;
    if (single_tasks && few) out.tasks = task_columns(*trace, out.view);
    if (single_tasks && !few)
      print_note(fmt::format("factosim: {}: {} tasks are shown in cells of time, not one by one",
                             path.string(), trace->task_count()));
  } else {
    out.view = view_without_trace(path);
  }
  out.view.name.clear();
  add_result(out.view, path);
  if (out.view.name.empty()) out.view.name = title_of_path(path.string());
  return out;
}

/// Returns the panels to draw.
std::vector<std::string> figure_panels(ReportArguments const& arguments) {
  std::vector<std::string> out;
  std::istringstream list(arguments.figure);
  for (std::string name; std::getline(list, name, ',');) out.push_back(name);
  std::vector<std::string> const known = figure_names();
  auto const alone = [](std::string const& name) {
    return name == "map" || name == "bounds" || name == "lost";
  };
  for (std::string const& name : out)
    if (std::ranges::find(known, name) == known.end())
      throw InputError("--figure#", fmt::format("\"{}\" is the name of no panel. Choose of {}", name,
                                                fmt::join(known, ", ")));
  if (out.size() > 1 && std::ranges::any_of(out, alone))
    throw InputError("--figure#", "map, bounds and lost have no time axis to share. Draw each of them alone");
  if (out.front() == "map" && arguments.runs.size() > 1)
    throw InputError("--figure#", "the map of one run is drawn at a time. Name one run");
  return out;
}

void draw_figure(ReportArguments const& arguments) {
  check_figure_name(arguments.output);
  std::vector<std::string> const panels = figure_panels(arguments);
  std::vector<RunView> runs;
  for (fs::path const& path : arguments.runs) {
    runs.push_back(reported(path, false).view);
    for (std::string const& name : panels) {
      if (has_figure(runs.back(), name)) continue;
      std::vector<std::string> known = figure_names();
      std::erase_if(known, [&](std::string const& n) { return !has_figure(runs.back(), n); });
      throw InputError("--figure#",
                       fmt::format("{} has no data for \"{}\" (it is not in its files). Choose of {}",
                                   path.string(), name, fmt::join(known, ", ")));
    }
  }
  write_figure(arguments.output, draw_figure(runs, panels, figure_options(arguments.choices)));
}

void write_page(ReportArguments const& arguments) {
  std::vector<ReportedRun> runs;
  for (fs::path const& path : arguments.runs) runs.push_back(reported(path, true));
  TextFile out(arguments.output);
  write_run_page(out, runs, fmt::format("factosim {} ({})", version(), git_revision()));
  out.commit();
}

void report_runs(ReportArguments const& arguments) {
  if (!arguments.columns.x.empty() || !arguments.columns.lines.empty())
    throw InputError("--x#", "chooses, as --lines, a column of a sweep (runs have none). Leave them out");
  if (arguments.figure.empty())
    write_page(arguments);
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
  if (arguments.figure.empty() && (is_figure_name(arguments.output) || is_table_name(arguments.output)))
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
  auto const arguments = std::make_shared<ReportArguments>();
  CLI::App* const command = program.add_subcommand(
      "report",
      "Show runs, simulated or real, or a sweep, on one page that opens in any browser, or draw figures");
  command
      ->add_option("runs", arguments->runs,
                   "One to four, each the folder of a run, its result.json, or a trace in any format that is "
                   "read; or the folder of one sweep")
      ->type_name("PATH")
      ->required()
      ->expected(1, 4);
  command
      ->add_option(
          "-o,--output", arguments->output,
          "Page to write (HTML), or figure (.svg, .pdf, .png; its numbers: .csv; of a sweep: .tex); - for "
          "standard output (HTML or SVG)")
      ->type_name("PATH")
      ->required();
  command
      ->add_option(
          "--figure", arguments->figure,
          fmt::format(
              "Draw one panel for a paper, or several below each other, with commas between: {}. Of a "
              "sweep: columns, such as makespan_s,speedup",
              fmt::join(figure_names(), ", ")))
      ->type_name("PANELS");
  command->add_option("--x", arguments->columns.x, "Column of a sweep that is the axis, such as nodes")
      ->type_name("COLUMN");
  command
      ->add_option("--lines", arguments->columns.lines,
                   "Column of a sweep of which each value has a line, such as distribution")
      ->type_name("COLUMN");
  add_figure_choices(*command, arguments->choices);
  command->add_flag("--force", arguments->force, "Replace what is there already");
  command->footer(
      "Example: factosim report results/first -o results/first.html\n"
      "         factosim report results/first --figure iterations,nodes,memory -o results/first.svg\n"
      "         factosim report results/fig13 -o results/fig13.html\n"
      "         factosim report results/fig13 --figure makespan_s --size 88x60 --font-size 8 -o fig13.pdf\n"
      "         factosim report results/fig13 --figure makespan_s -o fig13.tex\n"
      "See scenarios/reports.md for the panels.");
  command->callback([arguments] { report(*arguments); });
}

}  // namespace factosim
