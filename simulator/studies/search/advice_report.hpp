#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/studies/search/advise_search.hpp"
#include "simulator/studies/search/advise_space.hpp"
#include "simulator/studies/search/choice_simulator.hpp"

namespace factosim {

/// The answer of a search. The references must outlive it.
struct Advice {
  AdviceSpace const& space;
  ChoiceSimulator const& simulator;
  AdviceSearchResult search;
  DroppedOptions dropped;
  std::optional<RobustAdvice> robust{};  // of repeated simulations
  /// Of the best choice with other policies, where the search was to take the scenario's alone.
  std::vector<std::pair<std::string, SimulatedChoice>> other_policies{};

  /// The choice that is advised: the best of the repeated ones, or else of single runs; SIZE_MAX: none.
  [[nodiscard]] std::size_t best() const { return robust ? robust->choices.front().choice : search.best; }
  /// Its objective in a single run.
  [[nodiscard]] double objective() const { return simulator.objective(simulator.simulated(best())); }
};

/// Adds what the search found out: choices whose map or simulation failed.
void add_failures(DroppedOptions& dropped, AdviceSpace const& space, ChoiceSimulator const& simulator);
/// Returns the alternative of a choice that its failure is counted for: the distribution and the tile size.
[[nodiscard]] std::string failed_option(AdviceChoice const& choice);

/// Returns why there is no answer.
[[nodiscard]] std::string why_no_advice(AdviceSpace const& space, AdviceSearchResult const& search,
                                        ChoiceSimulator const& simulator, DroppedOptions const& dropped);

[[nodiscard]] nlohmann::ordered_json advice_json(Advice const& advice);
/// Returns the answer for a terminal; lines end with \n.
[[nodiscard]] std::string advice_text(Advice const& advice);

/// Returns the simulated choices that no other one beats both in time and in cost, as objects of a list.
[[nodiscard]] nlohmann::ordered_json front_json(Advice const& advice);
/// Returns the same as a table, one column for each type of node.
[[nodiscard]] Table front_table(Advice const& advice);

}  // namespace factosim
