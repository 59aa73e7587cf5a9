#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factosim/spread.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/studies/search/advise_search.hpp"
#include "simulator/studies/search/advise_space.hpp"

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

  /// Simulates each choice that many times more (AdviceSpace::repetition); choices that run alike share these runs.
  /// Returns the repetitions of each. Throws as `outcomes`, and InputError if a repetition cannot be run.
  std::vector<std::vector<SimulatedChoice>> repetitions(std::vector<std::size_t> const& choices, int count);

  /// Simulates a choice with each of these policies instead of its own; returns the outcomes of those that can run it.
  std::vector<std::pair<std::string, SimulatedChoice>> with_policies(
      std::size_t choice, std::vector<std::string> const& policies);

  /// Returns what is to be small, of a simulated choice.
  [[nodiscard]] double objective(SimulatedChoice const& s) const;

  /// Number of simulations so far.
  [[nodiscard]] std::size_t simulations() const { return jobs_of_.size(); }
  [[nodiscard]] SimulatedChoice const& simulated(std::size_t choice) const;
  /// Returns the simulated choices that no other one beats in time and in cost, by time. The cost is the energy
  /// if that is the objective, otherwise the node-hours.
  [[nodiscard]] std::vector<SimulatedChoice> pareto_front() const;
  /// Returns the choices that could not be run, with the reasons.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> const& failures() const { return failures_; }
  /// Returns the choices that were simulated, in that order.
  [[nodiscard]] std::vector<SimulatedChoice> const& all() const { return simulated_; }
  /// Returns whether the choices run alike.
  [[nodiscard]] bool alike(std::size_t a, std::size_t b) const { return key_of(a) == key_of(b); }

 private:
  /// Returns the key of the choice in `jobs_of_`.
  [[nodiscard]] std::string const& key_of(std::size_t choice) const;
  /// A simulation: of the choice as it is, of one of its repetitions, or with another policy.
  struct Task {
    std::size_t choice = 0;
    std::optional<int> repetition{};
    std::optional<std::string> policy{};
    std::string key;  // that of `jobs_of_`
  };
  void run(std::vector<Task> const& tasks);
  [[nodiscard]] std::string simulate(Task const& task) const;
  [[nodiscard]] SimulatedChoice costs(std::size_t choice, EndedJob const& job) const;
  AdviceOutcome outcome(std::size_t choice, EndedJob const& job);
  [[nodiscard]] bool for_energy() const { return space_.options().objective == AdviceObjective::energy; }

  AdviceSpace const& space_;
  std::size_t jobs_;
  std::map<std::string, EndedJob> jobs_of_;          // by a key that choices share if they run alike
  mutable std::map<std::size_t, std::string> keys_;  // of the choices looked at: each needs a placement
  std::vector<SimulatedChoice> simulated_;
  std::vector<std::pair<std::size_t, std::string>> failures_;
};

/// A choice with repeated simulations.
struct RepeatedChoice {
  std::size_t choice = 0;
  Spread makespan_s{};               // with the prediction interval of one further run
  std::vector<double> objectives{};  // [repetitions] with the same seeds for all choices
  double objective = 0;              // their mean
  bool keeps_deadline = true;        // the prediction interval ends before it
  double difference = 0;             // from the best one's mean, relative
  double half_width = 0;             // of that difference's interval, relative
  bool tied = false;                 // the interval holds 0
};

/// The choices that may be best, by the means of repeated simulations.
struct RobustAdvice {
  double probability = 0.95;            // that all intervals of differences hold at once
  std::vector<RepeatedChoice> choices;  // the best first, by their means; those that miss the deadline last
  std::size_t not_repeated = 0;         // may be best too, but were left out: too many
};

/// Repeats the best simulated choice, and all others that its and their spread may put before it, at most
/// 16. The differences to the best mean have simultaneous intervals: of paired differences, since
/// repetitions share their seeds, by Student's t with Bonferroni's inequality (multiple comparisons with the best:
/// Hsu, Annals of Statistics 12, 1984). `repetitions`: at least 2; `found.best` must exist.
[[nodiscard]] RobustAdvice repeat_best_choices(AdviceSearchResult const& found, AdviceSpace const& space,
                                               ChoiceSimulator& simulator, int repetitions);

}  // namespace factosim
