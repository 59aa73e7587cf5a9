#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace factosim {

/// A configuration of the problem, as the search sees it.
struct AdviceCandidate {
  std::vector<double> place;  // position within its group: nodes of each type, as shares of the inventory
  double shape = 0;           // another coordinate: the shape of the grid of nodes
  std::string group;          // candidates of one group behave similarly
  double bound = 0;           // lower bound of the objective
};

struct AdviceOutcome {
  double makespan_s = 0;
  double objective = 0;  // to be minimised
  bool allowed = true;   // within the deadline
};

/// Prediction for a candidate without simulation.
struct AdviceCounts {
  /// Components of its makespan in seconds, the same ones for all candidates; empty if it cannot be run.
  std::vector<double> times;
  double bound_s = 0;     // lower bound of its makespan that only this count knows
  std::string why_not{};  // the reason why it cannot be run
};

/// Interface between the search and the problem. `count` costs less than `simulate`: for a
/// plain factorization far less, for other applications as much as planning the run.
struct AdviceOracle {
  std::function<AdviceCounts(std::size_t)> count;
  /// Objective of a candidate for a given makespan; increasing.
  std::function<double(std::size_t, double makespan_s)> objective;
  /// Simulates candidates; an infinite objective means that the candidate cannot be run.
  std::function<std::vector<AdviceOutcome>(std::vector<std::size_t> const&)> simulate;
  /// Remaining number of simulations; the search continues while it is > 0 and candidates remain.
  std::function<std::size_t()> budget;
};

struct AdviceSearchResult {
  std::vector<std::pair<std::size_t, AdviceOutcome>> simulated;  // in order of simulation
  std::size_t best = SIZE_MAX;                                   // candidate; SIZE_MAX: none is allowed
  double best_objective = 0;
  double min_bound = 0;       // of the candidates not simulated; infinity: there are none
  std::size_t pruned = 0;     // not simulated: their bounds are no better than the best result
  std::size_t open = 0;       // not simulated and not pruned
  double deviation = 0;       // standard deviation of the logarithm of simulated over predicted
  bool expected_end = false;  // no remaining candidate is predicted to be better, by two standard deviations
};

/// Searches the candidate with the minimum objective. Candidates are pruned by their bounds. The makespan is
/// modelled as a weighted sum of the model's times; the weights are fitted to the simulations made so far and
/// the prediction is corrected by the residuals of similar candidates. Candidates that are predicted to be
/// best, or are within one standard deviation of it, are simulated next in small batches until all others are
/// pruned or the budget is spent. Deterministic if the oracle is.
[[nodiscard]] AdviceSearchResult search_advice(std::vector<AdviceCandidate> const& candidates,
                                               AdviceOracle const& oracle);

/// Simulates all candidates, numbered from 0, and returns the best.
[[nodiscard]] AdviceSearchResult exhaustive_advice(std::size_t candidates, AdviceOracle const& oracle);

}  // namespace factosim
