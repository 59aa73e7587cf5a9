#include "simulator/search/choice_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/sweep/sweep_engine.hpp"

namespace factosim {

ChoiceSimulator::ChoiceSimulator(AdviceSpace const& space, int jobs)
    : space_(space), jobs_(static_cast<std::size_t>(jobs_or_cores(jobs))) {
  preload_network_models();
}

std::vector<AdviceOutcome> ChoiceSimulator::outcomes(std::vector<std::size_t> const& choices) {
  std::vector<std::string> keys;
  keys.reserve(choices.size());
  for (std::size_t const choice : choices) keys.push_back(key_of(choice));
  run(choices, keys);
  std::vector<AdviceOutcome> out;
  for (std::size_t i = 0; i < choices.size(); ++i) out.push_back(outcome(choices[i], jobs_of_.at(keys[i])));
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
std::string ChoiceSimulator::key_of(std::size_t choice) const {
  if (for_energy()) return fmt::format("{}", choice);
  try {
    return space_.fingerprint(choice);
  } catch (InputError const&) {
    return fmt::format("{}", choice);  // its simulation reports the error
  }
}

void ChoiceSimulator::run(std::vector<std::size_t> const& choices, std::vector<std::string> const& keys) {
  ProcessPool pool;
  std::size_t next = 0;
  while (next < choices.size() || pool.running() > 0) {
    for (; next < choices.size() && pool.running() < jobs_; ++next)
      if (jobs_of_.try_emplace(keys[next]).second)
        pool.start(next, [&, choice = choices[next]] { return simulate(choice); });
    if (pool.running() == 0) continue;
    EndedJob const job = pool.wait();
    jobs_of_[keys[job.job]] = job;
  }
}

std::string ChoiceSimulator::simulate(std::size_t choice) const {
  auto const result = simulate_document(space_.scenario(choice), space_.file());
  nlohmann::json out = {{"makespan_s", result["makespan_s"]}, {"gflops", result["gflops"]}};
  if (result.contains("energy")) out["energy_J"] = result["energy"]["total_J"];
  return json_text(out);
}

AdviceOutcome ChoiceSimulator::outcome(std::size_t choice, EndedJob const& job) {
  if (job.signal != 0 || job.code == ExitCode::internal_error)
    throw std::runtime_error(
        fmt::format("the simulation of {} failed: {}", space_.description(choice), job.message));
  if (!job.returned) {
    failure_ = job.message;
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), false};
  }
  auto const result = nlohmann::json::parse(job.message);
  double const makespan = result["makespan_s"];
  auto const& counts = space_.choices()[choice].counts;
  SimulatedChoice const s{choice, makespan, result["gflops"],
                          makespan * std::accumulate(counts.begin(), counts.end(), 0) / 3600,
                          result.value("energy_J", std::numeric_limits<double>::quiet_NaN())};
  simulated_.push_back(s);
  bool const allowed = !space_.options().deadline_s || makespan <= *space_.options().deadline_s;
  if (!for_energy()) return {makespan, space_.objective_at(choice, makespan), allowed};
  if (std::isnan(s.energy_J))
    throw InputError(
        space_.file() + "#/platform",
        "has nodes without \"power\" (no energy can be told). Add it to the platform's node types");
  return {makespan, s.energy_J, allowed};
}

}  // namespace factosim
