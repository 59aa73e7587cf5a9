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

SimulatedChoice const& ChoiceSimulator::simulated(std::size_t choice) const {
  return *std::find_if(simulated_.begin(), simulated_.end(),
                       [&](SimulatedChoice const& s) { return s.choice == choice; });
}

std::vector<SimulatedChoice> ChoiceSimulator::pareto_front() const {
  auto const cost = [&](SimulatedChoice const& s) { return for_energy() ? s.energy_J : s.node_hours; };
  std::vector<SimulatedChoice> all = simulated_;
  std::sort(all.begin(), all.end(), [&](SimulatedChoice const& a, SimulatedChoice const& b) {
    return std::tuple(a.makespan_s, cost(a), a.choice) < std::tuple(b.makespan_s, cost(b), b.choice);
  });
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
  auto const result = simulate_document(
      task.repetition ? space_.repetition(task.choice, *task.repetition) : space_.scenario(task.choice),
      space_.file());
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

}  // namespace factosim
