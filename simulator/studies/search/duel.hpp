#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/studies/sweep/scenario_family.hpp"

namespace factosim {

/// A policy or a distribution: what replaces the scenario's.
struct Contestant {
  std::string name;     // as the user gave it
  std::string pointer;  // "/scheduler" or "/distribution"; empty: a shared library, which may be either
  nlohmann::json value;
};

/// Returns the policy or distribution of a name, or of a JSON object with its "type": one of factosim's, a shared library
/// ("*.so"), or a static schedule. Relative paths start from the working folder. Throws InputError.
[[nodiscard]] Contestant contestant(std::string const& text);

/// Makes shared libraries what their opponent is; two are policies. Throws InputError if the two are of different sorts.
void pair_up(Contestant& a, Contestant& b);

struct DuelBudget {
  std::uint64_t pairs = 500;  // simulated pairs at most, over all restarts
  std::optional<Seconds> time{};
  std::uint64_t restarts = 5;
  std::uint64_t seed = 0;
  int jobs =
      0;  // restarts at once; 0: one a core. The answer does not depend on it unless the time ends the search
};

struct DuelResult {
  FamilyPlace place;        // where A does worst against B
  nlohmann::json scenario;  // there
  Seconds a, b;             // makespans there, by the scenario's own network
  std::vector<double>
      ratios;  // [restarts] the largest makespan of A / makespan of B; 0: no pair could be simulated
  std::uint64_t pairs = 0;       // simulated
  std::uint64_t infeasible = 0;  // places whose scenario cannot be run
  std::string why_not;           // the first of these
};

/// Called with the largest ratio of a restart that has ended.
using DuelProgress = std::function<void(std::uint64_t restarts, double ratio)>;

/// Searches the scenario of a family with the largest ratio of makespans of A and B, by simulated annealing with restarts, with
/// the means of all durations and max-min in place of SimGrid's network. Throws InfeasibleError if no scenario was found
/// that both can run. Source: Coleman, Krishnamachari, "PISA: an adversarial approach to comparing task graph scheduling
/// algorithms", IPDPS 2025, whose machines have no runtime system. The contestants are paired up.
[[nodiscard]] DuelResult duel(Contestant const& a, Contestant const& b, ScenarioFamily const& family,
                              DuelBudget const& budget, DuelProgress const& progress = {});

/// Returns the scenario with the contestant.
[[nodiscard]] nlohmann::json with(nlohmann::json scenario, Contestant const& contestant);

}  // namespace factosim
