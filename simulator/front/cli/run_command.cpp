#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"

namespace factosim {

namespace {

struct RunArguments : ScenarioArguments {
  std::optional<std::filesystem::path> out;
  bool force = false;
  RunOptions options;
  std::optional<std::string> noise, detail;
};

/// Returns the outputs of a run with that many tasks: without its trace if that is large and not asked for.
OutputOptions without_large_trace(OutputOptions outputs, std::uint64_t tasks) {
  if (!leaves_out_trace(outputs, tasks)) return outputs;
  std::erase(outputs.traces, default_trace);
  print_note(fmt::format("factosim: {} tasks: run.trace is not kept. Ask for it by --set /outputs/trace=true",
                         tasks));
  return outputs;
}

void warn_of_equal_replicas(int replicas) {
  print_warning(
      fmt::format("all {} replicas are the same (no policy draws, and no noise changes a timing that has a "
                  "deviation). See \"noise\" in scenarios/README.md",
                  replicas));
}

void run(RunArguments const& arguments) {
  std::vector<std::string> settings = arguments.settings;
  if (arguments.noise) settings.push_back("/noise=\"" + *arguments.noise + '"');
  if (arguments.detail) settings.push_back("/detail/type=\"" + *arguments.detail + '"');
  RunOptions options = arguments.options;
  Scenario scenario = read_scenario(arguments.file, settings);
  SizeLimit const limit{.forced = arguments.force_large};
  WorkEstimate work = simulation_work(scenario);
  if (int const further = options.replicas - 1 + options.perturbed; further > 0) {
    work = repetitions_of(work, 1. + further);
    check_work(work, max_simulations_s, limit,
               options.perturbed >= options.replicas ? "--sensitivity" : "--replicas",
               "Use fewer runs or tiles");
  }
  if (work.large()) print_note("factosim: " + work.description());
  SimulationPlan const plan = plan_simulation(std::move(scenario), limit);
  std::uint64_t const tasks = task_count(plan);
  OutputOptions outputs = head_of(plan).outputs;
  if (arguments.out) outputs = without_large_trace(outputs, tasks);
  bool const repeated = options.replicas > 1 || options.perturbed > 0;
  bool const may_differ = !repeated || replicas_may_differ(plan);  // throws for studies
  std::optional<RunFolder> folder;
  if (arguments.out) folder.emplace(*arguments.out, outputs, arguments.force);
  if (options.replicas > 1 && !may_differ) warn_of_equal_replicas(options.replicas);
  if (arguments.out) options.outputs = outputs;
  if (is_verbose()) options.summary = SummaryLength::all;
  ProgressBar bar(tasks * static_cast<std::uint64_t>(options.replicas + options.perturbed));
  RunRecord const record = run_plan(plan, options, [&](std::uint64_t done) {
    if (tasks > 0) bar.update(done);  // nobody knows how many an estimate needs
  });
  std::string const json = folder ? folder->write(record) : result_text(record.json, {}, {});
  fmt::print("{}", arguments.json ? json : record.summary);
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "run", "Simulate a scenario", run,
      "Example: factosim run scenarios/first/lu_mirage.json --set /application/nt=30 --out results/lu30\n"
      "Relative paths in a scenario start from its folder. See scenarios/README.md for all keys.");
  options.scenario(a);
  options.force_large(a.force_large);
  options.path("--out", a.out, "Folder for result.json and run.trace, and what else the scenario asks for");
  options.force(a.force, "Replace results that are there already");
  options.range("--replicas", a.options.replicas,
                "Simulate so many times, with the seeds that follow the scenario's, and print the spread", 1,
                1'000'000);
  options
      .range("--interval", a.options.interval,
             "With --replicas and --sensitivity: probability that the prediction interval holds one more run",
             0.01, 0.9999)
      ->capture_default_str();
  options.more();
  options.range("--sensitivity", a.options.perturbed,
                "Simulate so many times more, with durations and overheads changed within what they are "
                "known to, and print how far the makespan moves; 2 at least",
                2, 1'000'000);
  options.jobs(a.options.jobs, "Simulations of --replicas or --sensitivity");
  options.add("--noise", a.noise,
              "Distribution of durations instead of the scenario's noise, such as calibrated", "NAME");
  options.add(
      "--detail", a.detail,
      "How much of the run is simulated, instead of the scenario's: tasks, or sampled for an estimate",
      "NAME");
}

}  // namespace factosim
