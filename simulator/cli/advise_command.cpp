#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/os/process_pool.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/search/advise_space.hpp"
#include "simulator/sweep/sweep_engine.hpp"

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

/// A choice that was simulated.
struct Simulated {
  std::size_t choice;
  double makespan_s, gflops, node_hours, energy_J;  // energy: NaN where it is not known
};

/// Simulates choices, each in a process of its own, and remembers what came out.
class Simulator {
 public:
  Simulator(AdviceSpace const& space, int jobs) : space_(space), jobs_(jobs_or_cores(jobs)) {}

  std::vector<AdviceOutcome> operator()(std::vector<std::size_t> const& choices) {
    std::vector<std::string> keys;
    keys.reserve(choices.size());
    for (std::size_t const choice : choices) keys.push_back(key_of(choice));
    ProcessPool pool;
    std::size_t next = 0;
    while (next < choices.size() || pool.running() > 0) {
      for (; next < choices.size() && pool.running() < static_cast<std::size_t>(jobs_); ++next) {
        if (!answers_.try_emplace(keys[next]).second) continue;  // runs as another one does
        ++simulations;
        pool.start(next, [&, choice = choices[next]] { return simulate(choice); });
      }
      if (pool.running() == 0) continue;
      EndedJob const job = pool.wait();
      answers_[keys[job.job]] = job;
    }
    std::vector<AdviceOutcome> out;
    for (std::size_t i = 0; i < choices.size(); ++i) out.push_back(outcome(choices[i], answers_.at(keys[i])));
    return out;
  }

  std::size_t simulations = 0;

  std::vector<Simulated> done;  // in the order in which they ended
  std::optional<std::string> failure;

 private:
  /// Nodes that own nothing draw power all the same.
  [[nodiscard]] std::string key_of(std::size_t choice) const {
    if (space_.options().objective == AdviceObjective::energy) return fmt::format("{}", choice);
    try {
      return space_.fingerprint(choice);
    } catch (InputError const&) {
      return fmt::format("{}", choice);  // simulating it will tell
    }
  }

  [[nodiscard]] JobAnswer simulate(std::size_t choice) const {
    SweepPoint point;
    point.scenario = space_.scenario(choice);
    PointRecord const record = simulate_point(point, space_.file());
    if (!record.done()) return {record.code, record.message};
    nlohmann::json said = {{"makespan_s", record.result["makespan_s"]}, {"gflops", record.result["gflops"]}};
    if (record.result.contains("energy")) said["energy_J"] = record.result["energy"]["total_J"];
    return {0, json_text(said)};
  }

  AdviceOutcome outcome(std::size_t choice, EndedJob const& job) {
    if (job.signal != 0 || job.code == 3)
      throw std::runtime_error(
          fmt::format("the simulation of {} failed: {}", space_.description(choice), job.message));
    if (job.code != 0) {
      failure = job.message;
      return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), false};
    }
    auto const said = nlohmann::json::parse(job.message);
    double const makespan = said["makespan_s"];
    AdviceChoice const& c = space_.choices()[choice];
    int nodes = 0;
    for (int const n : c.counts) nodes += n;
    Simulated const s{choice, makespan, said["gflops"], makespan * nodes / 3600,
                      said.value("energy_J", std::numeric_limits<double>::quiet_NaN())};
    done.push_back(s);
    bool const allowed = !space_.options().deadline_s || makespan <= *space_.options().deadline_s;
    if (space_.options().objective != AdviceObjective::energy)
      return {makespan, space_.objective_at(choice, makespan), allowed};
    if (std::isnan(s.energy_J))
      throw InputError(
          space_.file() + "#/platform",
          "has nodes without \"power\" (no energy can be told). Add it to the platform's node types");
    return {makespan, s.energy_J, allowed};
  }

  AdviceSpace const& space_;
  int jobs_;
  std::map<std::string, EndedJob> answers_;  // by what makes choices run alike
};

/// Those that nothing else simulated beats in time and in the other cost: energy where that is the objective,
/// node-hours otherwise. By time.
std::vector<Simulated> pareto_front(std::vector<Simulated> all, bool energy) {
  auto const cost = [&](Simulated const& s) { return energy ? s.energy_J : s.node_hours; };
  std::sort(all.begin(), all.end(), [&](Simulated const& a, Simulated const& b) {
    return std::tuple(a.makespan_s, cost(a), a.choice) < std::tuple(b.makespan_s, cost(b), b.choice);
  });
  std::vector<Simulated> front;
  for (Simulated const& s : all)
    if (front.empty() || cost(s) < cost(front.back())) front.push_back(s);
  return front;
}

nlohmann::ordered_json simulated_json(AdviceSpace const& space, Simulated const& s) {
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

/// In words, how much the answer is to be trusted.
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

std::vector<std::size_t> all_of(AdviceSpace const& space) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < space.choices().size(); ++i) out.push_back(i);
  return out;
}

AdviceSearchResult exhaustive(AdviceSpace const& space, Simulator& simulator) {
  AdviceSearchResult out;
  auto const choices = all_of(space);
  auto const outcomes = simulator(choices);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out.simulated.emplace_back(i, outcomes[i]);
    if (!outcomes[i].allowed || (out.best != SIZE_MAX && outcomes[i].objective >= out.best_objective))
      continue;
    out.best = i;
    out.best_objective = outcomes[i].objective;
  }
  out.min_bound = std::numeric_limits<double>::infinity();
  return out;
}

void print(AdviceSpace const& space, AdviceSearchResult const& r, Simulator const& simulator, bool json) {
  bool const energy = space.options().objective == AdviceObjective::energy;
  auto const best = *std::find_if(simulator.done.begin(), simulator.done.end(),
                                  [&](Simulated const& s) { return s.choice == r.best; });
  auto const front = pareto_front(simulator.done, energy);
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (Simulated const& s : front) list.push_back(simulated_json(space, s));
    nlohmann::ordered_json const out = {
        {"best", simulated_json(space, best)},
        {"scenario", space.scenario(r.best)},
        {"pareto_front", list},
        {"search",
         {{"choices", space.choices().size()},
          {"simulated", simulator.simulations},
          {"known", r.simulated.size()},
          {"pruned", r.pruned},
          {"open", r.open},
          {"deviation", r.deviation},
          {"objective", r.best_objective},
          {"least_bound_of_others",
           std::isfinite(r.min_bound) ? nlohmann::json(r.min_bound) : nlohmann::json()},
          {"certainty", certainty(r)}}}};
    fmt::print("{}\n", json_text(out, 2));
    return;
  }
  auto const line = [&](Simulated const& s) {
    return fmt::format("{:.4g} s  {:.5g} GFlop/s  {:.3g} node-hours{}  {}", s.makespan_s, s.gflops,
                       s.node_hours,
                       std::isnan(s.energy_J) ? "" : fmt::format("  {:.4g} kJ", s.energy_J / 1e3),
                       space.description(s.choice));
  };
  fmt::print("best          {}\n", line(best));
  fmt::print("certainty     {}\n", certainty(r));
  fmt::print("search        {} choices: {} simulated, {} excluded by bounds, {} open\n",
             space.choices().size(), r.simulated.size(), r.pruned, r.open);
  fmt::print("\ntime against {}, of what was simulated:\n", energy ? "energy" : "node-hours");
  for (Simulated const& s : front) fmt::print("{}\n", line(s));
}

void advise(AdviseArguments const& a) {
  nlohmann::json document = parse_json_file(a.file);
  apply_settings(document, a.settings);
  AdviceOptions options = a.options;
  options.objective = a.objective == "energy"       ? AdviceObjective::energy
                      : a.objective == "node-hours" ? AdviceObjective::node_hours
                                                    : AdviceObjective::makespan;
  AdviceSpace const space(std::move(document), a.file.string(), options);
  Simulator simulator(space, a.jobs);
  auto const start = std::chrono::steady_clock::now();
  AdviceOracle oracle;
  oracle.count = [&](std::size_t i) { return space.count(i); };
  oracle.simulate = [&](std::vector<std::size_t> const& list) { return simulator(list); };
  oracle.objective = [&](std::size_t i, double makespan) { return space.objective_at(i, makespan); };
  oracle.budget = [&]() -> std::size_t {
    double const spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    show_status(fmt::format("{} simulations, {} choices", simulator.simulations, space.choices().size()));
    return a.seconds && spent >= *a.seconds ? 0 : a.runs - std::min(a.runs, simulator.simulations);
  };
  AdviceSearchResult const result =
      a.exhaustive ? exhaustive(space, simulator) : search_advice(space.candidates(), oracle);
  show_status("");
  if (result.best == SIZE_MAX)
    throw InfeasibleError(
        fmt::format("none of the {} choices {}{}", result.simulated.size(),
                    options.deadline_s ? "that were simulated ends before the deadline" : "can be run",
                    simulator.failure ? " (" + *simulator.failure + ")" : ""));
  print(space, result, simulator, a.json);
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
