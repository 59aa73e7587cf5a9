#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace factosim {

/// One way to run a problem, as far as a search needs to know it.
struct AdviceCandidate {
  std::vector<double> place;  // where it lies among its likes: nodes of each type, as shares of the inventory
  double shape = 0;           // another coordinate: the grid of nodes
  std::string group;          // candidates of one group are simulated alike
  double bound = 0;           // no run of it has a smaller objective
};

struct AdviceOutcome {
  double makespan_s = 0;
  double objective = 0;  // what is to be small
  bool allowed = true;   // within the deadline
};

/// What is known of a candidate without simulating it.
struct AdviceCounts {
  /// Parts of its makespan in seconds, the same ones for all candidates; empty where it cannot be run.
  std::vector<double> times;
};

/// What a search asks of its user. Counting is cheap and simulating is not.
struct AdviceOracle {
  std::function<AdviceCounts(std::size_t)> count;
  /// The objective of a candidate if its makespan is that; increases with it.
  std::function<double(std::size_t, double makespan_s)> objective;
  /// The outcomes of several candidates; an infinite objective for one that cannot be run.
  std::function<std::vector<AdviceOutcome>(std::vector<std::size_t> const&)> simulate;
  /// How many simulations may still be made: as long as there are any, and candidates, the search goes on.
  std::function<std::size_t()> budget;
};

struct AdviceSearchResult {
  std::vector<std::pair<std::size_t, AdviceOutcome>> simulated;  // in that order
  std::size_t best = SIZE_MAX;                                   // candidate; SIZE_MAX: none is allowed
  double best_objective = 0;
  double min_bound = 0;       // of the candidates that were not simulated; infinity: there are none
  std::size_t pruned = 0;     // not simulated, since their bound is no better than the best
  std::size_t open = 0;       // not simulated, and not pruned
  double deviation = 0;       // standard deviation of the logarithm of simulated over expected
  bool expected_end = false;  // no candidate left was expected to be better, twice the deviation included
};

/// Looks for the candidate of least objective. Bounds prune. The makespan is taken for a weighted sum of the
/// counted times, whose weights are fitted to the simulations made so far; what these gave of similar
/// candidates corrects it, and those expected or likely (by one deviation) to be best are simulated
/// next, a few at a time, until all others are pruned or the budget is spent. Deterministic if the oracle is.
[[nodiscard]] AdviceSearchResult search_advice(std::vector<AdviceCandidate> const& candidates,
                                               AdviceOracle const& oracle);

/// Simulates all candidates, numbered from 0, and returns the best.
[[nodiscard]] AdviceSearchResult exhaustive_advice(std::size_t candidates, AdviceOracle const& oracle);

}  // namespace factosim
