#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "simulator/analysis/result_file.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/os/folder_lock.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/simulation/run.hpp"
#include "simulator/trace/export/trace_formats.hpp"
#include "simulator/trace/series.hpp"

namespace factosim {

namespace {

struct RunArguments : ScenarioArguments {
  std::optional<std::filesystem::path> out;
  bool force = false;
  int replicas = 1, perturbed = 0;
  double interval = 0.95;
  std::optional<std::string> noise;
};

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

/// Returns the outputs of a run with that many tasks: without its trace if that is large and not asked for.
OutputOptions without_large_trace(OutputOptions outputs, std::uint64_t tasks) {
  if (!outputs.trace_by_default || tasks <= max_tasks_traced_by_default) return outputs;
  std::erase(outputs.traces, default_trace);
  print_note(fmt::format("factosim: {} tasks: run.trace is not kept. Ask for it by --set /outputs/trace=true",
                         tasks));
  return outputs;
}

/// Makes the folder and keeps other runs out of it while the lock lives. Throws InputError if a result, or another
/// output of the run, exists already, or if another run writes there.
FolderLock prepare_folder(std::filesystem::path const& folder, OutputOptions const& outputs, bool force) {
  make_folder(folder);
  FolderLock lock(folder);
  refuse_to_overwrite(folder / "result.json", force);
  for (std::string const& name : outputs.traces)
    refuse_to_overwrite_trace(trace_format(name), folder / trace_format(name).run_name, force);
  if (outputs.series_points > 0) refuse_to_overwrite(folder / "series.json", force);
  remove_abandoned_files(folder);
  return lock;
}

/// Writes the traces and the series; returns the names of the single files.
std::vector<std::string> write_outputs(std::filesystem::path const& folder, OutputOptions const& outputs,
                                       RunRecord const& run) {
  std::vector<std::string> files;
  if (run.trace) {
    write_traces(folder, outputs, *run.trace);
    for (std::string const& name : outputs.traces)
      if (TraceFormat const& format = trace_format(name); !format.folder) files.emplace_back(format.run_name);
  }
  if (run.series) {
    write_series(folder / "series.json", *run.series, run.series_nodes);
    files.emplace_back("series.json");
  }
  return files;
}

void warn_of_equal_replicas(int replicas) {
  print_warning(
      fmt::format("all {} replicas are the same (no policy draws, and no noise changes a "
                  "timing that has a deviation). See \"noise\" in scenarios/README.md",
                  replicas));
}

void run(RunArguments const& arguments) {
  std::vector<std::string> settings = arguments.settings;
  if (arguments.noise) settings.push_back("/noise=\"" + *arguments.noise + '"');
  Scenario scenario = read_scenario(arguments.file, settings);
  SizeLimit const limit{.forced = arguments.force_large};
  WorkEstimate work = estimate_size(scenario);
  if (int const further = arguments.replicas - 1 + arguments.perturbed; further > 0) {
    work = repetitions_of(work, 1. + further);
    check_work(work, max_simulations_s, limit,
               arguments.perturbed >= arguments.replicas ? "--sensitivity" : "--replicas",
               "Use fewer runs or tiles");
  }
  if (work.large()) print_note("factosim: " + work.description());
  SimulationPlan plan = plan_simulation(std::move(scenario), limit);
  std::uint64_t const tasks = task_count(plan);
  OutputOptions& outputs = head_of(plan).outputs;
  if (arguments.out) outputs = without_large_trace(outputs, tasks);
  bool const repeated = arguments.replicas > 1 || arguments.perturbed > 0;
  bool const may_differ = !repeated || replicas_may_differ(plan);  // throws for studies
  bool const equal_replicas = arguments.replicas > 1 && !may_differ;
  std::optional<FolderLock> lock;
  if (arguments.out) lock.emplace(prepare_folder(*arguments.out, outputs, arguments.force));
  if (equal_replicas) warn_of_equal_replicas(arguments.replicas);

  RunOptions options{
      .replicas = arguments.replicas, .interval = arguments.interval, .perturbed = arguments.perturbed};
  if (arguments.out) {
    options.trace = !outputs.traces.empty();
    options.series_points = outputs.series_points;
  }
  ProgressBar bar(tasks * static_cast<std::uint64_t>(arguments.replicas + arguments.perturbed));
  RunRecord const record = run_plan(plan, options, [&](std::uint64_t done) { bar.update(done); });
  std::filesystem::path const folder = arguments.out.value_or("");
  std::string const json =
      result_text(record.json, folder,
                  arguments.out ? write_outputs(folder, outputs, record) : std::vector<std::string>());
  if (arguments.out)
    write_file_atomically(folder / "result.json", json);  // last: it marks the run as complete
  fmt::print("{}", arguments.json ? json : record.summary);
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto const arguments = std::make_shared<RunArguments>();
  CLI::App* const command = program.add_subcommand("run", "Simulate a scenario");
  add_scenario_arguments(*command, *arguments);
  add_force_large(*command, arguments->force_large);
  command
      ->add_option("--out", arguments->out,
                   "Folder for result.json and run.trace, and what else the scenario asks for")
      ->type_name("PATH");
  command
      ->add_option("--replicas", arguments->replicas,
                   "Simulate so many times, with the seeds that follow the scenario's, and print the spread")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option(
          "--interval", arguments->interval,
          "With --replicas and --sensitivity: probability that the prediction interval holds one more run")
      ->check(CLI::Range(0.01, 0.9999))
      ->capture_default_str();
  command
      ->add_option(
          "--sensitivity", arguments->perturbed,
          "Simulate so many times more, with durations and overheads changed within what they are known "
          "to, and print how far the makespan moves; 2 at least")
      ->check(CLI::Range(2, 1'000'000));
  command
      ->add_option("--noise", arguments->noise,
                   "Distribution of durations instead of the scenario's noise, such as calibrated")
      ->type_name("NAME");
  command->add_flag("--force", arguments->force, "Replace results that are there already");
  command->footer(
      "Example: factosim run scenarios/first/lu_mirage.json --set /application/nt=30 --out results/lu30\n"
      "Relative paths in a scenario start from its folder. See scenarios/README.md for all keys.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace factosim
