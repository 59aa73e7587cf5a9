#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/os/process_pool.hpp"
#include "simulator/search/advise_space.hpp"

namespace factosim {

/// The costs of a simulated choice.
struct SimulatedChoice {
  std::size_t choice;
  double makespan_s, gflops, node_hours, energy_J;  // energy: NaN if the platform states no power
};

/// Simulates choices in child processes and keeps their outcomes.
class ChoiceSimulator {
 public:
  /// `jobs`: simulations at once; 0: one per core.
  ChoiceSimulator(AdviceSpace const& space, int jobs);

  /// Simulates the choices, except those that run like one simulated before, and returns their outcomes in the
  /// given order. Throws std::runtime_error if a simulation fails for another reason than its input, and
  /// InputError if the objective is energy and the platform states no power.
  std::vector<AdviceOutcome> outcomes(std::vector<std::size_t> const& choices);

  /// Number of simulations so far.
  [[nodiscard]] std::size_t simulations() const { return jobs_of_.size(); }
  [[nodiscard]] SimulatedChoice const& simulated(std::size_t choice) const;
  /// Returns the simulated choices that no other one beats in time and in cost, by time. The cost is the energy
  /// if that is the objective, otherwise the node-hours.
  [[nodiscard]] std::vector<SimulatedChoice> pareto_front() const;
  /// Returns the message of the last choice that could not be run.
  [[nodiscard]] std::optional<std::string> const& failure() const { return failure_; }

 private:
  [[nodiscard]] std::string key_of(std::size_t choice) const;
  void run(std::vector<std::size_t> const& choices, std::vector<std::string> const& keys);
  [[nodiscard]] std::string simulate(std::size_t choice) const;
  AdviceOutcome outcome(std::size_t choice, EndedJob const& job);
  [[nodiscard]] bool for_energy() const { return space_.options().objective == AdviceObjective::energy; }

  AdviceSpace const& space_;
  std::size_t jobs_;
  std::map<std::string, EndedJob> jobs_of_;  // by a key that choices share if they run alike
  std::vector<SimulatedChoice> simulated_;
  std::optional<std::string> failure_;
};

}  // namespace factosim
