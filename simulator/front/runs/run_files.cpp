#include "simulator/front/runs/run_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/report.hpp"
#include "factosim/version.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/scenario/simulation/known_differences.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Returns the text or number at a pointer; "" if there is none.
std::string text_at(Json const& json, char const* pointer) {
  Json::json_pointer const place(pointer);
  if (!json.contains(place)) return {};
  Json const& value = json.at(place);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

/// "16 chifflet + 30 chetemi"
std::string nodes_text(Json const& options) {
  Json::json_pointer const place("/platform/nodes");
  std::string out;
  if (!options.contains(place) || !options.at(place).is_array()) return out;
  for (Json const& nodes : options.at(place)) {
    std::string const count = text_at(nodes, "/count"), type = text_at(nodes, "/type");
    if (!count.empty() && !type.empty()) out += fmt::format("{}{} {}", out.empty() ? "" : " + ", count, type);
  }
  return out;
}

/// Returns the title of a run whose scenario has no name, from the options in its result: "lu, 40 x 40 tiles of
/// 960, 1d1d, 16 chifflet + 30 chetemi". "" if the result has no options.
std::string title_of_result(Json const& result) {
  Json::json_pointer const place("/provenance/options");
  if (!result.contains(place)) return {};
  Json const& options = result.at(place);
  std::string const nt = text_at(options, "/application/nt"), nb = text_at(options, "/application/nb");
  std::string size = nt.empty() ? "" : fmt::format("{0} x {0} tiles", nt);
  if (!size.empty() && !nb.empty()) size += " of " + nb;
  std::string out;
  for (std::string const& part :
       {text_at(options, "/application/type"), size, text_at(options, "/distribution"), nodes_text(options)})
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// Returns the title of a run that only has a path: its last two names, the folder and the file.
std::string title_of_path(std::string_view path) {
  fs::path const whole = fs::path(path).lexically_normal();
  fs::path const file = whole.has_filename() ? whole : whole.parent_path();
  return (file.parent_path().filename() / file.filename()).string();
}

/// Returns the scenario file that a result names; empty if it cannot be read any more.
std::string scenario_text(Json const& result) {
  fs::path const path = text_at(result, "/provenance/scenario");
  try {
    return fs::is_regular_file(path) ? read_input(path) : std::string();
  } catch (std::exception const&) {
    return {};
  }
}

void add_result(RunFiles& out, fs::path const& path) {
  auto const file = result_of(path);
  if (!file) return;
  RunView& view = out.view;
  nlohmann::json const document = parse_json_file(*file);
  JsonReader(document, file->string()).check_format("factosim-result", 1);
  view.result = parse_json_file_in_order(*file);
  view.scenario_text = scenario_text(view.result);
  for (std::string const& altered : compare_files(*file, document).altered) {
    out.warnings.push_back(fmt::format("{}: {}", file->parent_path().string(), altered));
    view.result["findings"].push_back(altered);
  }
  if (auto const name = view.result.find("name"); name != view.result.end() && name->is_string())
    view.name = name->get<std::string>();
  if (view.name.empty()) view.name = title_of_result(view.result);
}

/// Adds the findings and further runs in its result to a run to compare.
void add_repetitions(ComparedRun& run, fs::path const& path, std::optional<fs::path> const& file,
                     nlohmann::json const& document) {
  run.summary.source = path.string();
  if (!file) return;
  run.summary.findings = findings_of_result(*file, document);
  run.repetitions_s = repetitions_of_result(JsonReader(document, file->string()));
}

void add_view_without_trace(RunFiles& out, fs::path const& path) {
  fs::path const result = *result_of(path);
  fs::path const series = result.parent_path() / "series.json";
  bool const kept = fs::exists(series);
  out.notes.push_back(fmt::format("{}: no run.trace was kept: {}", path.string(),
                                  kept ? "the report shows its series" : "the report shows its result only"));
  out.view = view_of_result(compared_result(result), kept ? &series : nullptr);
}

/// Throws InputError if a figure of that many runs cannot have these panels.
void check_panels(std::vector<std::string> const& panels, std::size_t runs, std::string_view where) {
  std::vector<std::string> const known = figure_names();
  for (std::string const& name : panels)
    if (std::ranges::find(known, name) == known.end())
      throw InputError(where,
                       fmt::format("\"{}\" is the name of no panel. {}", name, use_one_of(name, known)));
  if (panels.size() > 1 && std::ranges::any_of(panels, stands_alone))
    throw InputError(where, "map, bounds and lost have no time axis to share. Draw each of them alone");
  if (panels.front() == "map" && runs > 1)
    throw InputError(where, "the map of one run is drawn at a time. Name one run");
}

/// Throws InputError if a run has no data for a panel.
void check_data(RunView const& run, fs::path const& path, std::vector<std::string> const& panels,
                std::string_view where) {
  for (std::string const& name : panels) {
    if (has_figure(run, name)) continue;
    std::vector<std::string> known = figure_names();
    std::erase_if(known, [&](std::string const& n) { return !has_figure(run, n); });
    throw InputError(where, fmt::format("{} has no data for \"{}\" (it is not in its files). Use one of: {}",
                                        path.string(), name, fmt::join(known, ", ")));
  }
}

void check_count(std::vector<fs::path> const& runs) {
  constexpr std::size_t max_runs = 4;
  if (runs.empty() || runs.size() > max_runs)
    throw InputError("report#", fmt::format("has {} runs (one to {} are shown). Give fewer or more of them",
                                            runs.size(), max_runs));
}

}  // namespace

RunFiles read_run_files(fs::path const& path, bool single_tasks) {
  RunFiles out;
  RunView& view = out.view;
  if (auto trace = trace_of_run(path)) {
    out.findings = trace->findings;
    Causes const causes(*trace);
    ComparedRun run = compared_run(causes);
    run.summary.source = path.string();
    view = view_of_trace(causes, std::move(run));
    bool const few = trace->task_count() <= max_detailed_tasks && trace->workers.size() < 65535;
    if (single_tasks && few) view.tasks = task_columns(causes, view);
    if (single_tasks && !few)
      out.notes.push_back(fmt::format("{}: {} tasks are shown in cells of time, not one by one",
                                      path.string(), trace->task_count()));
    if (single_tasks) out.trace = std::move(trace);
  } else {
    add_view_without_trace(out, path);
  }
  view.name.clear();
  add_result(out, path);
  if (view.name.empty()) view.name = title_of_path(path.string());
  return out;
}

Figure figure_of_files(std::vector<fs::path> const& runs, std::vector<std::string> const& panels,
                       std::string_view where, FigureOptions const& options,
                       std::function<RunView(fs::path const&)> const& read) {
  check_panels(panels, runs.size(), where);
  std::vector<RunView> views;
  for (fs::path const& path : runs) {
    views.push_back(read(path));
    check_data(views.back(), path, panels, where);
  }
  return figure_of_runs(views, panels, options);
}

RunComparison compare_run_files(fs::path const& a, std::optional<Trace> const& trace_a, fs::path const& b,
                                std::optional<Trace> const& trace_b) {
  auto const result_a = result_of(a), result_b = result_of(b);
  nlohmann::json const json_a = result_a ? parse_json_file(*result_a) : nlohmann::json();
  nlohmann::json const json_b = result_b ? parse_json_file(*result_b) : nlohmann::json();
  RunComparison out =
      trace_a && trace_b
          ? compare_traces(*trace_a, *trace_b,
                           result_a && result_b ? known_differences(json_a, json_b) : std::nullopt)
          : compare_runs(trace_a ? compared_run(*trace_a) : compared_result(*result_a),
                         trace_b ? compared_run(*trace_b) : compared_result(*result_b));
  add_repetitions(out.a, a, result_a, json_a);
  add_repetitions(out.b, b, result_b, json_b);
  out.distinction = distinguish(out.a.summary.makespan_s, out.a.repetitions_s, out.b.summary.makespan_s,
                                out.b.repetitions_s);
  return out;
}

void write_page(fs::path const& page, std::vector<RunFiles> runs) {
  std::optional<RunComparison> comparison;
  auto const path = [&](std::size_t run) { return fs::path(runs[run].view.run.summary.source); };
  if (runs.size() == 2) comparison = compare_run_files(path(0), runs[0].trace, path(1), runs[1].trace);
  std::vector<RunView> views;
  for (RunFiles& run : runs) views.push_back(std::move(run.view));
  TextFile out(page);
  write_run_page(out, views, comparison ? &*comparison : nullptr,
                 fmt::format("factosim {} ({})", version(), git_revision()));
  out.commit();
}

void write_report_page(std::vector<fs::path> const& runs, fs::path const& page) {
  check_count(runs);
  std::vector<RunFiles> shown;
  for (fs::path const& path : runs) shown.push_back(read_run_files(path, true));
  write_page(page, std::move(shown));
}

std::string figure_json(std::vector<fs::path> const& runs, std::vector<std::string> const& panels) {
  check_count(runs);
  if (panels.empty()) throw InputError("panels#", "are none (a figure has one at least). Name panels");
  auto const read = [](fs::path const& path) { return read_run_files(path, false).view; };
  return json_text(figure_of_files(runs, panels, "panels#", {}, read).content);
}

std::vector<std::string> figure_panels() { return figure_names(); }

}  // namespace factosim
