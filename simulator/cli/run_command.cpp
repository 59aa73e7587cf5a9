#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/os/abandoned_files.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/report/text/summary.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/scenario/study.hpp"
#include "simulator/simulation/replicas.hpp"
#include "simulator/simulation/simulate.hpp"
#include "simulator/simulation/size_limit.hpp"
#include "simulator/trace/export/trace_formats.hpp"
#include "simulator/trace/series.hpp"
#include "simulator/trace/series_writer.hpp"

namespace factosim {

namespace {

struct RunArguments : ScenarioArguments {
  std::optional<std::filesystem::path> out;
  bool force = false;
  int replicas = 1;
};

/// The result of the first replica, with what all of them say where there are several.
Result simulate_all(Scenario const& scenario, PreparedScenario const& prepared, int replicas,
                    TraceRecords* trace, Series* series) {
  std::uint64_t const tasks = prepared.graph.task_count();
  std::uint64_t before = 0;  // tasks of the replicas that have ended
  ProgressBar bar(tasks * static_cast<std::uint64_t>(replicas));
  auto const further =
      simulate_further_replicas(scenario, prepared, replicas, [&] { bar.update(before += tasks); });
  Result result = simulate(
      scenario, prepared, trace, [&](std::uint64_t done) { bar.update(before + done); }, series);
  if (replicas > 1) result.replicas = summarize_replicas(scenario, result.makespan, further);
  return result;
}

void write_traces(std::filesystem::path const& folder, OutputOptions const& outputs, Trace const& trace) {
  for (std::string const& name : outputs.traces) {
    TraceFormat const& format = trace_format(name);
    if (format.folder) {
      make_folder(folder / format.run_name);
      remove_abandoned_files(folder / format.run_name);
    }
    format.write(folder / format.run_name, trace);
  }
}

std::vector<SeriesNode> series_nodes(Platform const& platform) {
  std::vector<SeriesNode> nodes;
  for (std::uint32_t const type : platform.nodes)
    nodes.push_back({platform.types[type].name, platform.types[type].memory_node_count() > 1});
  return nodes;
}

/// More tasks, and run.trace (110 bytes each, and as much memory) is only kept when asked for.
constexpr std::size_t max_tasks_traced_by_default = 1'000'000;

void drop_large_trace(Scenario& scenario, std::size_t tasks) {
  if (!scenario.outputs.trace_by_default || tasks <= max_tasks_traced_by_default) return;
  std::erase(scenario.outputs.traces, default_trace);
  scenario.effective_options["outputs"][default_trace] = false;
  fmt::print(stderr, "factosim: {} tasks: run.trace is not kept. Ask for it by --set /outputs/trace=true\n",
             tasks);
}

/// Throws InputError where a result, or one of the traces that the scenario wants, is there already.
void prepare_folder(RunArguments const& arguments, OutputOptions const& outputs) {
  if (!arguments.out) return;
  refuse_to_overwrite(*arguments.out / "result.json", arguments.force);
  for (std::string const& name : outputs.traces)
    refuse_to_overwrite(*arguments.out / trace_format(name).run_name, arguments.force);
  if (outputs.series_points > 0) refuse_to_overwrite(*arguments.out / "series.json", arguments.force);
  make_folder(*arguments.out);
  remove_abandoned_files(*arguments.out);
}

/// Writes result.json, after all else that belongs to the run, and tells the user.
void tell(RunArguments const& arguments, nlohmann::ordered_json const& result, std::string_view summary) {
  std::string const json = json_text(result, 2) + "\n";
  if (arguments.out) write_file_atomically(*arguments.out / "result.json", json);
  fmt::print("{}", arguments.json ? json : summary);
}

void run_study(RunArguments const& arguments, StudyScenario const& scenario) {
  if (arguments.replicas > 1)
    throw InputError(scenario.file + "#/application/type",
                     "is a study (--replicas repeats factorizations). Use a sweep with \"replicas\"");
  prepare_folder(arguments, scenario.outputs);
  bool const traces = arguments.out && !scenario.outputs.traces.empty();
  StudyResult const result = simulate(scenario, traces);
  if (traces && result.trace) write_traces(*arguments.out, scenario.outputs, *result.trace);
  tell(arguments, result.json, result.summary);
}

void run_factorization(RunArguments const& arguments, Scenario scenario) {
  if (SizeEstimate const size = estimate_size(scenario); size.large())
    fmt::print(stderr, "factosim: {}\n", size.description());
  PreparedScenario const prepared = prepare(scenario, {.forced = arguments.force_large});
  if (arguments.out) drop_large_trace(scenario, prepared.graph.task_count());
  prepare_folder(arguments, scenario.outputs);

  if (arguments.replicas > 1 && !depends_on_seed(scenario, prepared))
    fmt::print(stderr,
               "factosim: warning: all {} replicas are the same (no policy draws, and no noise changes a "
               "timing that has a deviation). See \"noise\" in scenarios/README.md\n",
               arguments.replicas);
  bool const traces = arguments.out && !scenario.outputs.traces.empty();
  TraceRecords records;
  std::optional<Series> series;
  if (arguments.out && scenario.outputs.series_points > 0)
    series.emplace(prepared.graph, prepared.machine.node_count(), scenario.outputs.series_points);
  Result const result = simulate_all(scenario, prepared, arguments.replicas, traces ? &records : nullptr,
                                     series ? &*series : nullptr);

  if (traces) write_traces(*arguments.out, scenario.outputs, run_trace(scenario, prepared, records));
  if (series) write_series(*arguments.out / "series.json", *series, series_nodes(scenario.platform));
  tell(arguments, result_json(result), summary(result));
}

void run(RunArguments const& arguments) {
  nlohmann::json document = parse_json_file(arguments.file);
  apply_settings(document, arguments.settings);
  if (auto study = find_study(document, arguments.file.string())) {
    study->settings = arguments.settings;
    run_study(arguments, *study);
    return;
  }
  Scenario scenario = scenario_of(document, arguments.file.string());
  scenario.settings = arguments.settings;
  run_factorization(arguments, std::move(scenario));
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto const arguments = std::make_shared<RunArguments>();
  CLI::App* const command = program.add_subcommand("run", "Simulate a scenario");
  add_scenario_arguments(*command, *arguments);
  add_force_large(*command, arguments->force_large);
  command->add_option("--out", arguments->out,
                      "Folder for result.json and run.trace, and what else the scenario asks for");
  command
      ->add_option("--replicas", arguments->replicas,
                   "Simulate so many times, with the seeds that follow the scenario's, and tell the spread")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--force", arguments->force, "Replace results that are there already");
  command->footer(
      "Example: factosim run scenarios/first/lu_mirage.json --set /application/nt=30 --out results/lu30\n"
      "Relative paths in a scenario start from its folder. See scenarios/README.md for all keys.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace factosim
