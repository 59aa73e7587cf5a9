#include "simulator/studies/search/choice_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/studies/sweep/sweep_engine.hpp"

namespace factosim {

ChoiceSimulator::ChoiceSimulator(AdviceSpace const& space, int jobs)
    : space_(space), jobs_(static_cast<std::size_t>(jobs_or_cores(jobs))) {
  if (space.network_model() == NetworkModel::simgrid) static_cast<void>(load_simgrid());
}

std::vector<AdviceOutcome> ChoiceSimulator::outcomes(std::vector<std::size_t> const& choices) {
  std::vector<Task> tasks;
  tasks.reserve(choices.size());
  for (std::size_t const choice : choices) tasks.push_back({.choice = choice, .key = key_of(choice)});
  run(tasks);
  std::vector<AdviceOutcome> out;
  for (Task const& task : tasks) out.push_back(outcome(task.choice, jobs_of_.at(task.key)));
  return out;
}

std::vector<std::vector<SimulatedChoice>> ChoiceSimulator::repetitions(
    std::vector<std::size_t> const& choices, int count) {
  std::vector<Task> tasks;
  for (std::size_t const choice : choices)
    for (int i = 0; i < count; ++i)
      tasks.push_back({.choice = choice, .repetition = i, .key = fmt::format("{} {}", key_of(choice), i)});
  run(tasks);
  std::vector<std::vector<SimulatedChoice>> out(choices.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EndedJob const& job = jobs_of_.at(tasks[i].key);
    if (!job.returned) throw InputError(space_.file() + "#", job.message);
    out[i / static_cast<std::size_t>(count)].push_back(costs(tasks[i].choice, job));
  }
  return out;
}

std::vector<std::pair<std::string, SimulatedChoice>> ChoiceSimulator::with_policies(
    std::size_t choice, std::vector<std::string> const& policies) {
  std::vector<Task> tasks;
  for (std::string const& policy : policies)
    tasks.push_back(
        {.choice = choice, .policy = policy, .key = fmt::format("{} {}", key_of(choice), policy)});
  run(tasks);
  std::vector<std::pair<std::string, SimulatedChoice>> out;
  for (Task const& task : tasks)
    if (EndedJob const& job = jobs_of_.at(task.key); job.returned)
      out.emplace_back(*task.policy, costs(choice, job));
  return out;
}

SimulatedChoice const& ChoiceSimulator::simulated(std::size_t choice) const {
  return *std::ranges::find(simulated_, choice, &SimulatedChoice::choice);
}

std::vector<SimulatedChoice> ChoiceSimulator::pareto_front() const {
  auto const cost = [&](SimulatedChoice const& s) { return for_energy() ? s.energy_J : s.node_hours; };
  std::vector<SimulatedChoice> all = simulated_;
  std::ranges::sort(all, {},
                    [&](SimulatedChoice const& s) { return std::tuple(s.makespan_s, cost(s), s.choice); });
  std::vector<SimulatedChoice> front;
  for (SimulatedChoice const& s : all)
    if (front.empty() || cost(s) < cost(front.back())) front.push_back(s);
  return front;
}

/// Nodes that own nothing do not change a makespan, but draw power.
std::string const& ChoiceSimulator::key_of(std::size_t choice) const {
  if (auto const known = keys_.find(choice); known != keys_.end()) return known->second;
  std::string key = fmt::format("{}", choice);
  try {
    if (!for_energy()) key = space_.fingerprint(choice);
  } catch (InputError const&) {  // its simulation reports the error
  }
  return keys_[choice] = std::move(key);
}

void ChoiceSimulator::run(std::vector<Task> const& tasks) {
  ProcessPool pool;
  std::size_t next = 0;
  while (next < tasks.size() || pool.running() > 0) {
    for (; next < tasks.size() && pool.running() < jobs_; ++next)
      if (jobs_of_.try_emplace(tasks[next].key).second)
        pool.start(next, [&, &task = tasks[next]] { return simulate(task); });
    if (pool.running() == 0) continue;
    EndedJob const job = pool.wait();
    if (job.signal != 0 || job.code == ExitCode::internal_error)
      throw std::runtime_error(fmt::format("the simulation of {} failed: {}",
                                           space_.description(tasks[job.job].choice), job.message));
    // Says nothing about the choice: no answer may leave it out.
    if (job.limited) throw ChildFailure({job.code, job.message, job.limited});
    jobs_of_[tasks[job.job].key] = job;
  }
}

std::string ChoiceSimulator::simulate(Task const& task) const {
  nlohmann::json scenario =
      task.repetition ? space_.repetition(task.choice, *task.repetition) : space_.scenario(task.choice);
  if (task.policy) scenario["scheduler"]["type"] = *task.policy;
  auto const result = simulate_document(std::move(scenario), space_.file());
  nlohmann::json out = {{"makespan_s", result["makespan_s"]}, {"gflops", result["gflops"]}};
  if (result.contains("energy")) out["energy_J"] = result["energy"]["total_J"];
  return json_text(out);
}

SimulatedChoice ChoiceSimulator::costs(std::size_t choice, EndedJob const& job) const {
  auto const result = nlohmann::json::parse(job.message);
  double const makespan = result["makespan_s"];
  auto const& counts = space_.choices()[choice].counts;
  SimulatedChoice const s{choice, makespan, result["gflops"],
                          makespan * std::accumulate(counts.begin(), counts.end(), 0) / 3600,
                          result.value("energy_J", std::numeric_limits<double>::quiet_NaN())};
  if (for_energy() && std::isnan(s.energy_J))
    throw InputError(space_.file() + "#/platform",
                     "has nodes without \"power\" (their energy is not known). Add it to the platform's node "
                     "types, or as \"power\" beside \"file\"");
  return s;
}

double ChoiceSimulator::objective(SimulatedChoice const& s) const {
  return for_energy() ? s.energy_J : space_.objective_at(s.choice, s.makespan_s);
}

AdviceOutcome ChoiceSimulator::outcome(std::size_t choice, EndedJob const& job) {
  if (!job.returned) {
    failures_.emplace_back(choice, job.message);
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), false};
  }
  SimulatedChoice const s = costs(choice, job);
  simulated_.push_back(s);
  bool const allowed = !space_.options().deadline_s || s.makespan_s <= *space_.options().deadline_s;
  return {s.makespan_s, objective(s), allowed};
}

namespace {

constexpr std::size_t at_once = 4, max_repeated_choices = 16;

/// Returns the simulated choices that are allowed, the best first, and of those that run alike with equal costs the
/// first one only.
std::vector<std::size_t> ranked(AdviceSearchResult const& found, ChoiceSimulator const& simulator) {
  std::vector<std::pair<double, std::size_t>> all;
  for (auto const& [choice, outcome] : found.simulated)
    if (outcome.allowed) all.emplace_back(outcome.objective, choice);
  std::ranges::sort(all);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool known = false;
    for (std::size_t j = i; j-- > 0 && all[j].first == all[i].first && !known;)
      known = simulator.alike(all[j].second, all[i].second);
    if (!known) out.push_back(all[i].second);
  }
  return out;
}

RepeatedChoice summarized(std::vector<SimulatedChoice> const& repetitions, AdviceSpace const& space,
                          ChoiceSimulator const& simulator, double probability) {
  RepeatedChoice out{.choice = repetitions.front().choice};
  std::vector<double> makespans;
  for (SimulatedChoice const& s : repetitions) {
    makespans.push_back(s.makespan_s);
    out.objectives.push_back(simulator.objective(s));
  }
  out.makespan_s = spread_of(std::move(makespans), probability);
  out.objective = moments(out.objectives).mean;
  auto const& deadline = space.options().deadline_s;
  out.keeps_deadline = !deadline || out.makespan_s.prediction_high <= *deadline;
  return out;
}

/// Returns half the width of the confidence interval of the mean: t(n - 1) s / sqrt(n).
double half_width_of_mean(Moments const& sample, double probability) {
  return prediction_half_width(sample, probability) / std::sqrt(static_cast<double>(sample.count) + 1);
}

/// Sets the differences to the first choice.
void compare_with_best(RobustAdvice& advice) {
  RepeatedChoice const& best = advice.choices.front();
  std::size_t const others = advice.choices.size() - 1;
  for (RepeatedChoice& c : advice.choices) {
    if (&c == &best) continue;
    std::vector<double> differences;
    for (std::size_t i = 0; i < c.objectives.size(); ++i)
      differences.push_back(c.objectives[i] - best.objectives[i]);
    Moments const m = moments(differences);
    double const each = 1 - (1 - advice.probability) / static_cast<double>(others);
    c.difference = m.mean / best.objective;
    c.half_width = half_width_of_mean(m, each) / best.objective;
    c.tied = c.keeps_deadline && c.difference <= c.half_width;
  }
}

}  // namespace

RobustAdvice repeat_best_choices(AdviceSearchResult const& found, AdviceSpace const& space,
                                 ChoiceSimulator& simulator, int repetitions) {
  RobustAdvice out;
  std::vector<std::size_t> const order = ranked(found, simulator);
  std::vector<double> nominal;
  for (std::size_t const choice : order) nominal.push_back(simulator.objective(simulator.simulated(choice)));
  double best = nominal.front(), widest = 0;  // widest: relative reach of a single run around its mean
  std::size_t next = 0;
  // A choice may be best if single runs of both move as far as the widest seen.
  auto const may_be_best = [&](std::size_t i) {
    return nominal[i] <= best * (1 + widest) / (1 - std::min(widest, 0.5));
  };
  while (next < order.size() && next < max_repeated_choices && (next == 0 || may_be_best(next))) {
    std::vector<std::size_t> batch;
    while (batch.size() < at_once && next < order.size() && next < max_repeated_choices &&
           (next == 0 || may_be_best(next)))
      batch.push_back(order[next++]);
    for (auto const& runs : simulator.repetitions(batch, repetitions)) {
      out.choices.push_back(summarized(runs, space, simulator, out.probability));
      RepeatedChoice const& c = out.choices.back();
      widest = std::max(widest, relative_reach(c.makespan_s, c.makespan_s.mean));
      best = std::min(best, c.objective);
    }
  }
  for (std::size_t i = next; i < order.size() && may_be_best(i); ++i) ++out.not_repeated;
  std::ranges::stable_sort(
      out.choices, {}, [](RepeatedChoice const& c) { return std::tuple(!c.keeps_deadline, c.objective); });
  compare_with_best(out);
  return out;
}

}  // namespace factosim
