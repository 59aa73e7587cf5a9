#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/search/advise_space.hpp"
#include "simulator/search/choice_simulator.hpp"
#include "simulator/simulation/run.hpp"

namespace factosim {

namespace {

struct AdviseArguments : ScenarioArguments {
  AdviceOptions options;
  std::string objective = "makespan";
  std::size_t runs = 100;
  std::optional<double> seconds;
  bool exhaustive = false;
  int jobs = 0;
};

nlohmann::ordered_json simulated_json(AdviceSpace const& space, SimulatedChoice const& s) {
  AdviceChoice const& c = space.choices()[s.choice];
  nlohmann::ordered_json nodes = nlohmann::ordered_json::object();
  for (std::size_t t = 0; t < c.counts.size(); ++t) nodes[space.types()[t]] = c.counts[t];
  nlohmann::ordered_json out = {{"words", space.description(s.choice)},
                                {"nodes", nodes},
                                {"distribution", c.distribution},
                                {"scheduler", c.scheduler},
                                {"nt", c.nt},
                                {"nb", c.nb},
                                {"makespan_s", s.makespan_s},
                                {"gflops", s.gflops},
                                {"node_hours", s.node_hours}};
  if (!std::isnan(s.energy_J)) out["energy_J"] = s.energy_J;
  return out;
}

/// Describes how certain it is that the best choice was found.
std::string certainty(AdviceSearchResult const& r) {
  if (r.open == 0) return "proven best: bounds exclude everything that was not simulated";
  std::string const gap = fmt::format("no choice can be more than {:.1f} % better",
                                      100 * (1 - std::min(r.min_bound, r.best_objective) / r.best_objective));
  if (r.expected_end)
    return fmt::format(
        "none of the {} others is expected to be better, twice the deviation of {:.1f} % included; {}",
        r.open, 100 * r.deviation, gap);
  return fmt::format("the budget ended with {} choices open (deviation of expectations {:.1f} %); {}", r.open,
                     100 * r.deviation, gap);
}

constexpr double probability = 0.95;  // of the interval of the difference of two runs

/// The other choices whose difference from the best may be the other way round in single runs.
struct Indistinct {
  double within = 0;  // half the width of the interval of the difference of two runs, relative; 0: unknown
  std::vector<std::pair<std::size_t, double>> choices{};  // and the difference, relative, smallest first
};

/// Finds them by the deviation of runs that the kernel files know.
Indistinct find_indistinct(AdviceSpace const& space, AdviceSearchResult const& r) {
  Scenario const best = scenario_of(space.scenario(r.best), space.file());
  auto const* const tiled = std::get_if<TiledScenario>(&best.application);
  if (tiled == nullptr) return {};
  Indistinct out{.within = difference_half_width(calibrated_run_deviation(tiled->cluster), probability)};
  for (auto const& [choice, outcome] : r.simulated) {
    double const difference = outcome.objective / r.best_objective - 1;
    if (outcome.allowed && choice != r.best && difference <= out.within)
      out.choices.emplace_back(choice, difference);
  }
  std::sort(out.choices.begin(), out.choices.end(), [](auto const& a, auto const& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  return out;
}

nlohmann::ordered_json indistinct_json(AdviceSpace const& space, Indistinct const& indistinct) {
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (auto const& [choice, difference] : indistinct.choices)
    choices.push_back({{"words", space.description(choice)}, {"difference", difference}});
  return {{"within", indistinct.within}, {"probability", probability}, {"choices", choices}};
}

std::string indistinct_text(AdviceSpace const& space, Indistinct const& indistinct) {
  if (indistinct.choices.empty())
    return fmt::format("yes: no other one simulated is within {:.1f} %, by which two single runs differ",
                       100 * indistinct.within);
  auto const& [choice, difference] = indistinct.choices.front();
  return fmt::format(
      "no: {} others are not distinguishable in single runs; the difference of {:.1f} % from {} is within "
      "{:.1f} %",
      indistinct.choices.size(), 100 * difference, space.description(choice), 100 * indistinct.within);
}

void print_json(AdviceSpace const& space, AdviceSearchResult const& r, ChoiceSimulator const& simulator) {
  nlohmann::ordered_json front = nlohmann::ordered_json::array();
  for (SimulatedChoice const& s : simulator.pareto_front()) front.push_back(simulated_json(space, s));
  nlohmann::ordered_json out = {
      {"best", simulated_json(space, simulator.simulated(r.best))},
      {"scenario", space.scenario(r.best)},
      {"pareto_front", front},
      {"search",
       {{"choices", space.choices().size()},
        {"simulated", simulator.simulations()},
        {"known", r.simulated.size()},
        {"pruned", r.pruned},
        {"open", r.open},
        {"deviation", r.deviation},
        {"objective", r.best_objective},
        {"least_bound_of_others",
         std::isfinite(r.min_bound) ? nlohmann::json(r.min_bound) : nlohmann::json()},
        {"certainty", certainty(r)}}}};
  if (Indistinct const indistinct = find_indistinct(space, r); indistinct.within > 0)
    out["indistinct"] = indistinct_json(space, indistinct);
  fmt::print("{}\n", json_text(out, 2));
}

void print_text(AdviceSpace const& space, AdviceSearchResult const& r, ChoiceSimulator const& simulator) {
  auto const line = [&](SimulatedChoice const& s) {
    return fmt::format("{:.4g} s  {:.5g} GFlop/s  {:.3g} node-hours{}  {}", s.makespan_s, s.gflops,
                       s.node_hours,
                       std::isnan(s.energy_J) ? "" : fmt::format("  {:.4g} kJ", s.energy_J / 1e3),
                       space.description(s.choice));
  };
  bool const energy = space.options().objective == AdviceObjective::energy;
  fmt::print("best          {}\n", line(simulator.simulated(r.best)));
  fmt::print("certainty     {}\n", certainty(r));
  if (Indistinct const indistinct = find_indistinct(space, r); indistinct.within > 0)
    fmt::print("distinct      {}\n", indistinct_text(space, indistinct));
  fmt::print("search        {} choices: {} simulated, {} excluded by bounds, {} open\n",
             space.choices().size(), r.simulated.size(), r.pruned, r.open);
  fmt::print("\ntime against {}, of what was simulated:\n", energy ? "energy" : "node-hours");
  for (SimulatedChoice const& s : simulator.pareto_front()) fmt::print("{}\n", line(s));
}

void advise(AdviseArguments const& a) {
  nlohmann::json document = parse_json_file(a.file);
  apply_settings(document, a.settings);
  AdviceOptions options = a.options;
  options.objective = a.objective == "energy"       ? AdviceObjective::energy
                      : a.objective == "node-hours" ? AdviceObjective::node_hours
                                                    : AdviceObjective::makespan;
  AdviceSpace const space(std::move(document), a.file.string(), options);
  ChoiceSimulator simulator(space, a.jobs);
  auto const start = std::chrono::steady_clock::now();
  AdviceOracle oracle;
  oracle.count = [&](std::size_t i) { return space.count(i); };
  oracle.simulate = [&](std::vector<std::size_t> const& list) { return simulator.outcomes(list); };
  oracle.objective = [&](std::size_t i, double makespan) { return space.objective_at(i, makespan); };
  oracle.budget = [&]() -> std::size_t {
    double const spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    show_status(fmt::format("{} simulations, {} choices", simulator.simulations(), space.choices().size()));
    return a.seconds && spent >= *a.seconds ? 0 : a.runs - std::min(a.runs, simulator.simulations());
  };
  AdviceSearchResult const result = a.exhaustive ? exhaustive_advice(space.choices().size(), oracle)
                                                 : search_advice(space.candidates(), oracle);
  show_status("");
  if (result.best == SIZE_MAX)
    throw InfeasibleError(
        fmt::format("none of the {} choices {}{}", result.simulated.size(),
                    options.deadline_s ? "that were simulated ends before the deadline" : "can be run",
                    simulator.failure() ? " (" + *simulator.failure() + ")" : ""));
  (a.json ? print_json : print_text)(space, result, simulator);
}

}  // namespace

void add_advise_command(CLI::App& program) {
  auto const a = std::make_shared<AdviseArguments>();
  CLI::App* const command = program.add_subcommand(
      "advise", "Which of a scenario's nodes, which distribution, policy and tile size to use");
  add_scenario_arguments(*command, *a);
  command->add_option("--objective", a->objective, "What is to be small")
      ->check(CLI::IsMember({"makespan", "energy", "node-hours"}));
  command->add_option("--deadline", a->options.deadline_s, "Seconds that a run may last")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--distributions", a->options.distributions, "Those to choose from, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(distribution_names()));
  command
      ->add_option("--schedulers", a->options.schedulers,
                   "Policies to choose from; the scenario's by default")
      ->delimiter(',')
      ->check(CLI::IsMember(scheduler_names()));
  command
      ->add_option("--tile-sizes", a->options.tile_sizes, "Of the same matrix; the scenario's nb by default")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--runs", a->runs, "Simulations at most; 100 by default")->check(CLI::PositiveNumber);
  command->add_option("--seconds", a->seconds, "End the search after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--exhaustive", a->exhaustive, "Simulate every choice");
  command->add_option("--jobs", a->jobs, "Simulations at once; one a core by default")
      ->check(CLI::Range(1, 100'000));
  command->footer(
      "Example: factosim advise scenarios/lille/block_cyclic_2x11.json --set /application/nt=30 --runs 40\n"
      "The nodes of the scenario's platform are the inventory. See scenarios/sweeps.md.");
  command->callback([a] { advise(*a); });
}

}  // namespace factosim
