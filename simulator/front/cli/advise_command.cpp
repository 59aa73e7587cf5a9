#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/studies/search/advice_report.hpp"
#include "simulator/studies/search/moved_scenario.hpp"
#include "simulator/studies/sweep/sweep_engine.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct AdviseArguments : ScenarioArguments {
  AdviceOptions options;
  std::string objective = "makespan";
  std::size_t runs = 100;
  std::optional<double> seconds;
  bool exhaustive = false, force = false;
  int jobs = 0, replicas = 1;
  std::optional<fs::path> out;
  std::vector<fs::path> front;
  std::optional<fs::path> formats;
  double max_error = std::numeric_limits<double>::infinity();
};

/// Writes the winner as a scenario of its own.
void write_best(fs::path const& file, Advice const& advice) {
  fs::path const to = fs::absolute(file).parent_path();
  nlohmann::ordered_json out = moved_scenario(advice.space.scenario(advice.best()),
                                              fs::absolute(advice.space.file()).parent_path(), to);
  out["name"] = advice.space.description(advice.best());
  write_output(file, json_text(out, 2) + "\n");
}

/// Returns the figure of the front: a mark for each simulated choice on it.
Figure front_figure(Advice const& advice) {
  bool const energy = advice.space.options().objective == AdviceObjective::energy;
  LinePlot plot{.title = "What no simulated choice beats both in time and in cost",
                .x = energy ? "Energy (kJ)" : "Node-hours",
                .y = "Makespan (s)",
                .curves = {},
                .bounds = {{.name = "Pareto front"}}};
  for (SimulatedChoice const& s : advice.simulator.pareto_front()) {
    CurvePoint const point{.x = energy ? s.energy_J / 1e3 : s.node_hours, .y = s.makespan_s};
    plot.curves.push_back({.name = advice.space.description(s.choice), .points = {point}});
    plot.bounds.front().points.push_back(point);
  }
  std::ranges::reverse(plot.bounds.front().points);  // by x
  return {line_figure(std::span(&plot, 1)).content, front_table(advice)};
}

void write_front(fs::path const& file, Advice const& advice) {
  if (file.extension() == ".json")
    write_output(file, json_text(front_json(advice), 2) + "\n");
  else
    write_figure(file, front_figure(advice));
}

/// Simulates the best choice with the other policies that matter for dense factorizations, as far as the budget reaches.
void try_other_policies(Advice& advice, ChoiceSimulator& simulator, std::size_t budget) {
  std::vector<std::string> policies;
  for (char const* const policy : {"dmda", "dmdar", "dmdas", "lws"})
    if (policy != advice.space.choices()[advice.best()].scheduler && policies.size() < budget)
      policies.emplace_back(policy);
  advice.other_policies = simulator.with_policies(advice.best(), policies);
}

/// Throws InputError before the search if an output could not be written after it.
void check_outputs(AdviseArguments const& a) {
  if (a.out) refuse_to_overwrite(*a.out, a.force);
  for (fs::path const& file : a.front) {
    if (file.extension() != ".json") check_figure_name(file);
    refuse_to_overwrite(file, a.force);
  }
}

void advise(AdviseArguments const& a) {
  check_outputs(a);
  nlohmann::json document = parse_json_file(a.file);
  (void)set_keys(document, a.settings);
  AdviceOptions options = a.options;
  options.objective = a.objective == "energy"       ? AdviceObjective::energy
                      : a.objective == "node-hours" ? AdviceObjective::node_hours
                                                    : AdviceObjective::makespan;
  if (a.formats) options.tiles.formats = read_format_choices(*a.formats, a.max_error);
  SizeLimit const limit{.forced = a.force_large};
  WorkEstimate const one = simulation_work(scenario_of(document, a.file.string()));
  UnfinishedFiles::say_when_interrupted(
      "Nothing is kept. A search with --seconds or fewer --runs ends by itself, with the best that it found");
  AdviceSpace const space(std::move(document), a.file.string(), options, limit);
  std::size_t const runs = a.exhaustive ? space.choices().size() : std::min(a.runs, space.choices().size());
  if (!a.seconds || a.exhaustive)
    check_work(repetitions_of(one, static_cast<double>(runs)), max_simulations_s, limit,
               a.exhaustive ? "--exhaustive" : "--runs", "Use fewer of them, or --seconds");
  ChoiceSimulator simulator(space, a.jobs);
  Advice advice{.space = space, .simulator = simulator, .search = {}, .dropped = space.dropped()};
  auto const start = std::chrono::steady_clock::now();
  AdviceOracle oracle;
  oracle.count = [&](std::size_t i) {
    AdviceCounts counts = space.count(i);
    if (counts.times.empty()) advice.dropped.add(failed_option(space.choices()[i]), counts.why_not);
    return counts;
  };
  oracle.simulate = [&](std::vector<std::size_t> const& list) { return simulator.outcomes(list); };
  oracle.objective = [&](std::size_t i, double makespan) { return space.objective_at(i, makespan); };
  oracle.budget = [&]() -> std::size_t {
    double const spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    show_status(fmt::format("{} of at most {} simulations, {} choices", simulator.simulations(),
                            std::min(a.runs, space.choices().size()), space.choices().size()));
    return a.seconds && spent >= *a.seconds ? 0 : a.runs - std::min(a.runs, simulator.simulations());
  };
  advice.search = a.exhaustive ? exhaustive_advice(space.choices().size(), oracle)
                               : search_advice(space.candidates(), oracle);
  add_failures(advice.dropped, space, simulator);
  if (advice.best() != SIZE_MAX && a.replicas > 1) {
    show_status(fmt::format("{} replicas of the best choices", a.replicas));
    advice.robust = repeat_best_choices(advice.search, space, simulator, a.replicas);
  }
  if (advice.best() != SIZE_MAX && a.options.schedulers.empty())
    try_other_policies(advice, simulator, oracle.budget());
  show_status("");
  if (advice.best() == SIZE_MAX)
    throw InfeasibleError(why_no_advice(space, advice.search, simulator, advice.dropped));
  if (a.out) write_best(*a.out, advice);
  for (fs::path const& file : a.front) write_front(file, advice);
  if (a.json)
    print_json(advice_json(advice));
  else
    fmt::print("{}{}", advice_text(advice),
               a.out ? fmt::format("\nfactosim run {}\n", shell_quoted(a.out->string())) : "");
}

}  // namespace

void add_advise_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "advise", "Which of a scenario's nodes, which distribution, policy and tile size to use",
      advise,
      "Example: factosim advise scenarios/lille/block_cyclic_2x11.json --set /application/nt=30 --runs 40\n"
      "The nodes of the scenario's platform are the inventory. See scenarios/sweeps.md.");
  options.scenario(a);
  options.force_large(a.force_large);
  options.choice("--objective", a.objective, "What the best choice has least of",
                 {"makespan", "energy", "node-hours"});
  options.path("--out", a.out, "File for the best choice, as a scenario");
  options.force(a.force);
  options.positive("--deadline", a.options.deadline_s, "Seconds that a run may last");
  options.choices("--distributions", a.options.distributions,
                  "Distributions to choose from, separated by commas", distribution_names());
  options.choices("--schedulers", a.options.schedulers, "Policies to choose from; the scenario's by default",
                  scheduler_names());
  options
      .positive("--tile-sizes", a.options.tiles.tile_sizes,
                "Rows of a tile to choose from, for the same matrix; the scenario's nb by default")
      ->delimiter(',');
  options.more();
  CLI::Option* const formats = options.path(
      "--formats", a.formats,
      "factosim-format-errors file: precisions and ranks of tiles to choose from, with their errors");
  options
      .range("--max-error", a.max_error, "Largest error that formats may have", 0.,
             std::numeric_limits<double>::infinity())
      ->needs(formats);
  options.positive("--runs", a.runs, "Simulations at most; 100 by default");
  options.positive("--seconds", a.seconds, "End the search after so many seconds");
  options.flag("--exhaustive", a.exhaustive, "Simulate every choice");
  options.range("--replicas", a.replicas,
                "Simulate the best choices so many times each, and print which of them are ties", 2, 100'000);
  options
      .path("--front", a.front,
            "Files for the choices that none beats in time and in cost, separated by commas: .csv, .json, "
            ".svg, .png")
      ->delimiter(',');
  options.jobs(a.jobs, "Simulations");
}

}  // namespace factosim
