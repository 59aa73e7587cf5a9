#include "simulator/studies/search/distribution_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "distributions/map_neighbours.hpp"
#include "distributions/selected_map.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "factosim/error.hpp"
#include "simulator/scenario/simulation/map_simulator.hpp"
#include "simulator/studies/search/layer_search.hpp"

namespace factosim {

namespace {

constexpr int patience = 40;  // consecutive family members without improvement

class DistributionSearch {
 public:
  DistributionSearch(PlacedScenario const& scenario, SearchOptions const& options,
                     SearchProgress const& progress)
      : maps_(scenario, options.limits, progress),
        options_(options),
        factorization_(distribution_request(scenario).factorization),
        costs_(costs_of(timed_application(scenario))),
        nodes_(static_cast<int>(costs_.nodes.size())),
        random_(scenario.seed) {}

  FoundDistribution run() {
    simulate_starts();
    (void)maps_.best();  // throws if no start fits into the memory of the nodes
    improve();
    FoundDistribution found = maps_.best();
    found.distribution.description = fmt::format("found by search from {}", start_);
    found.start = start_;
    found.start_makespan = start_makespan_;
    return found;
  }

 private:
  std::optional<Seconds> consider(TileMap map) {
    return maps_.consider({.map = std::move(map), .description = {}});
  }

  std::optional<Seconds> consider_start(std::string const& type, TileMap const& map) {
    auto const makespan = consider(map);
    if (makespan && *makespan < start_makespan_) {
      start_ = type;
      start_makespan_ = *makespan;
    }
    return makespan;
  }

  [[nodiscard]] bool starts_from(std::string const& type) const {
    return std::ranges::find(options_.starts, type) != options_.starts.end();
  }

  void simulate_starts() {
    PlacedScenario const& s = maps_.scenario();
    bool const symmetric = factorization_ == Factorization::cholesky &&
                           (sbc_size(nodes_, SbcVariant::extended) || sbc_size(nodes_, SbcVariant::basic));
    for (std::string const type : search_starts) {
      if (!starts_from(type) || type == "1d1d-l" || (type == "sbc" && !symmetric)) continue;
      auto const makespan = consider_start(type, distribution_of({{"type", type}}, s).map);
      if (type == "1d1d-c+s") keep_member({}, makespan);
      if (type == "1d1d-c") keep_member({.rounds = 0}, makespan);
    }
    consider_start("scenario", s.distribution.map);
    if (!starts_from("1d1d-l") || maps_.budget_spent()) return;
    SelectedMap const selected =
        selected_map(s.distribution.map.nt, factorization_, costs_, simulated_judge(s));
    auto const makespan = consider_start("1d1d-l", selected.map);
    if (selected.member) keep_member(*selected.member, makespan);
  }

  /// Goes on from the member if its map was simulated and is the best member's.
  void keep_member(FamilyMember const& member, std::optional<Seconds> makespan) {
    if (!makespan || *makespan >= member_makespan_) return;
    member_ = member;
    member_makespan_ = *makespan;
    worse_members_ = 0;
  }

  /// Simulates a neighbour of the family's best member. Returns false if it was simulated before.
  bool try_family() {
    FamilyMember const member = random_neighbour(member_, nodes_, random_);
    auto const makespan =
        consider(family_map(maps_.scenario().distribution.map.nt, factorization_, costs_, member));
    ++worse_members_;
    keep_member(member, makespan);
    return makespan.has_value();
  }

  bool try_move() {
    TileMap map = maps_.best().distribution.map;
    move_randomly(map, nodes_, random_);
    return consider(std::move(map)).has_value();
  }

  void improve() {
    bool moved = false;  // whether the last turn was a random move
    for (int known = 0; known < known_maps_in_a_row && !maps_.budget_spent(); ++known) {
      moved = worse_members_ >= patience && !moved;
      if (moved ? try_move() : try_family()) known = -1;
    }
  }

  SimulatedMaps maps_;
  SearchOptions const& options_;
  Factorization factorization_;
  FactorizationCosts costs_;
  int nodes_;
  SearchRandom random_;
  std::string start_;  // the best start
  Seconds start_makespan_{std::numeric_limits<double>::infinity()};
  FamilyMember member_;  // best member of the family
  Seconds member_makespan_{std::numeric_limits<double>::infinity()};
  int worse_members_ = 0;  // since it was found
};

}  // namespace

FoundDistribution search_distribution(PlacedScenario const& scenario, SearchOptions const& options,
                                      SearchProgress const& progress) {
  Application const& app = *tiled_application(scenario, "--search").definition;
  if (app.is_product)
    throw InputError(scenario.file + "#/application/type",
                     fmt::format("is {} (the search balances what is left of a factorization). Use "
                                 "\"het-grid\" or \"1d1d\" without a search",
                                 app.name));
  if (scenario.distribution.map.has_layers()) {
    if (!std::ranges::equal(options.starts, SearchOptions{}.starts))
      throw InputError("--starts#",
                       "names distributions of one layer (the scenario's has layers). Leave it out");
    return search_layers(scenario, options.limits, progress);
  }
  return DistributionSearch(scenario, options, progress).run();
}

}  // namespace factosim
