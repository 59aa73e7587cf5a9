#pragma once

#include <cstddef>
#include <vector>

#include "factosim/spread.hpp"
#include "simulator/studies/search/advise_search.hpp"
#include "simulator/studies/search/choice_simulator.hpp"

namespace factosim {

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
/// `max_repeated_choices`. The differences to the best mean have simultaneous intervals: of paired differences, since
/// repetitions share their seeds, by Student's t with Bonferroni's inequality (multiple comparisons with the best:
/// Hsu, Annals of Statistics 12, 1984). `repetitions`: at least 2; `found.best` must exist.
[[nodiscard]] RobustAdvice repeat_best_choices(AdviceSearchResult const& found, AdviceSpace const& space,
                                               ChoiceSimulator& simulator, int repetitions);

inline constexpr std::size_t max_repeated_choices = 16;

}  // namespace factosim
