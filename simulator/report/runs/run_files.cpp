#include "simulator/report/runs/run_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/report/analysis/run_title.hpp"
#include "simulator/scenario/simulation/recorded_run.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

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

void add_result(RunFiles& out, fs::path const& path) {
  auto const file = result_of(path);
  if (!file) return;
  RunView& view = out.run.view;
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

void add_view_without_trace(RunFiles& out, fs::path const& path) {
  fs::path const result = *result_of(path);
  fs::path const series = result.parent_path() / "series.json";
  bool const kept = fs::exists(series);
  out.notes.push_back(fmt::format("{}: no run.trace was kept: {}", path.string(),
                                  kept ? "the report shows its series" : "the report shows its result only"));
  out.run.view = view_of_result(compared_result(result), kept ? &series : nullptr);
}

}  // namespace

RunFiles read_run_files(fs::path const& path, bool single_tasks) {
  RunFiles out;
  RunView& view = out.run.view;
  if (auto const trace = trace_of_run(path)) {
    out.findings = trace->findings;
    ComparedRun run = compared_run(*trace);
    run.summary.source = path.string();
    view = view_of_trace(*trace, std::move(run));
    bool const few = trace->task_count() <= max_detailed_tasks && trace->workers.size() < 65535;
    if (single_tasks && few) out.run.tasks = task_columns(*trace, view);
    if (single_tasks && !few)
      out.notes.push_back(fmt::format("{}: {} tasks are shown in cells of time, not one by one",
                                      path.string(), trace->task_count()));
  } else {
    add_view_without_trace(out, path);
  }
  view.name.clear();
  add_result(out, path);
  if (view.name.empty()) view.name = title_of_path(path.string());
  return out;
}

void check_panels(std::vector<std::string> const& panels, std::size_t runs, std::string_view where) {
  std::vector<std::string> const known = figure_names();
  auto const alone = [](std::string const& name) {
    return name == "map" || name == "bounds" || name == "lost";
  };
  for (std::string const& name : panels)
    if (std::ranges::find(known, name) == known.end())
      throw InputError(
          where, fmt::format("\"{}\" is the name of no panel. Choose of {}", name, fmt::join(known, ", ")));
  if (panels.size() > 1 && std::ranges::any_of(panels, alone))
    throw InputError(where, "map, bounds and lost have no time axis to share. Draw each of them alone");
  if (panels.front() == "map" && runs > 1)
    throw InputError(where, "the map of one run is drawn at a time. Name one run");
}

void check_data(RunView const& run, fs::path const& path, std::vector<std::string> const& panels,
                std::string_view where) {
  for (std::string const& name : panels) {
    if (has_figure(run, name)) continue;
    std::vector<std::string> known = figure_names();
    std::erase_if(known, [&](std::string const& n) { return !has_figure(run, n); });
    throw InputError(where, fmt::format("{} has no data for \"{}\" (it is not in its files). Choose of {}",
                                        path.string(), name, fmt::join(known, ", ")));
  }
}

void write_page(fs::path const& page, std::vector<ReportedRun> const& runs) {
  TextFile out(page);
  write_run_page(out, runs, fmt::format("factosim {} ({})", version(), git_revision()));
  out.commit();
}

}  // namespace factosim
