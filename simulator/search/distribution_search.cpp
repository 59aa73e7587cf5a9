#include "simulator/search/distribution_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "distributions/map_neighbours.hpp"
#include "distributions/selected_member.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "factosim/error.hpp"
#include "simulator/core/content_hash.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

namespace {

constexpr int patience = 40;  // consecutive family members without improvement
// consecutive repeated maps after which the search space is considered exhausted
constexpr int known_in_a_row = 1000;

// Maps of 1Dx1D-L's shortlist that are simulated: its list schedules differ from simulations by several per cent.
constexpr std::size_t listed_maps = 10;
constexpr double time_of_list_schedules = 0.25;  // of the time limit, at most

PlacedScenario without_simgrid(PlacedScenario scenario) {
  if (scenario.network.model == NetworkModel::simgrid) scenario.network.model = NetworkModel::maxmin;
  return scenario;
}

/// Simulates one scenario with different maps. SimGrid's network is replaced by the built-in max-min network,
/// since SimGrid can simulate only once per process.
class MapEvaluator {
 public:
  MapEvaluator(PlacedScenario scenario, SearchOptions const& limits)
      : limits_(limits), plan_(plan_tasks(without_simgrid(std::move(scenario)))) {}

  /// Returns nothing if a map with the same owners was simulated before.
  std::optional<Seconds> makespan(TileMap const& map) {
    if (!known_.insert(fingerprint(map)).second) return std::nullopt;
    ++evaluations_;
    re_place(plan_, map);
    return simulate_with_seed(plan_, plan_.scenario.seed, nullptr, {}).makespan;
  }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] bool budget_spent() const {
    return (limits_.evaluations && evaluations_ >= *limits_.evaluations) || time_spent(1);
  }
  /// Returns whether this part of the time limit has passed.
  [[nodiscard]] bool time_spent(double part) const {
    return limits_.time &&
           std::chrono::duration<double>(Clock::now() - start_).count() >= part * limits_.time->value;
  }
  [[nodiscard]] PlacedScenario const& scenario() const { return plan_.scenario; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Hashes the owners of the tiles that the application uses.
  [[nodiscard]] std::string fingerprint(TileMap const& map) const {
    std::vector<std::uint32_t> owners;
    for (HandleInfo const& h : plan_.graph.handles) owners.push_back(map.at(h.m, h.n).value());
    return content_hash(
        {reinterpret_cast<char const*>(owners.data()), owners.size() * sizeof owners.front()});
  }

  Clock::time_point start_ = Clock::now();
  SearchOptions const& limits_;
  TaskPlan plan_;
  std::set<std::string> known_;  // fingerprints of the simulated maps
  std::uint64_t evaluations_ = 0;
};

class DistributionSearch {
 public:
  DistributionSearch(PlacedScenario const& scenario, SearchOptions const& options,
                     SearchProgress const& progress)
      : evaluator_(scenario, options),
        options_(options),
        progress_(progress),
        factorization_(distribution_request(scenario).factorization),
        costs_(costs_of(timed_application(scenario))),
        nodes_(static_cast<int>(costs_.nodes.size())),
        random_(scenario.seed) {}

  FoundDistribution run() {
    simulate_starts();
    improve();
    found_.evaluations = evaluator_.evaluations();
    return std::move(found_);
  }

 private:
  /// Simulates the map and keeps it if it is the best so far. Returns nothing if it was simulated before.
  std::optional<Seconds> consider(TileMap const& map) {
    auto const makespan = evaluator_.makespan(map);
    if (!makespan) return std::nullopt;
    if (found_.history.empty() || *makespan < found_.makespan) {
      found_.map = map;
      found_.makespan = *makespan;
      found_.history.emplace_back(evaluator_.evaluations(), *makespan);
    }
    if (progress_) progress_(evaluator_.evaluations(), found_.makespan);
    return makespan;
  }

  std::optional<Seconds> consider_start(std::string const& type, TileMap const& map) {
    std::size_t const improvements = found_.history.size();
    auto const makespan = consider(map);
    if (found_.history.size() > improvements) {
      found_.start = type;
      found_.start_makespan = found_.makespan;
    }
    return makespan;
  }

  [[nodiscard]] bool starts_from(std::string const& type) const {
    return std::ranges::find(options_.starts, type) != options_.starts.end();
  }

  void simulate_starts() {
    PlacedScenario const& s = evaluator_.scenario();
    DistributionRequest const request = distribution_request(s);
    DistributionContext const context{.nt = request.nt, .nodes = request.nodes, .has_timings = true};
    bool const symmetric = factorization_ == Factorization::cholesky &&
                           (sbc_size(nodes_, SbcVariant::extended) || sbc_size(nodes_, SbcVariant::basic));
    for (std::string const type : search_starts) {
      if (!starts_from(type) || type == "1d1d-l" || (type == "sbc" && !symmetric)) continue;
      nlohmann::json const json = {{"type", type}};
      auto const made =
          make_distribution(read_distribution(JsonReader(json, s.file, "/distribution"), context), request);
      auto const makespan = consider_start(type, made.map);
      if (type == "1d1d-c+s") keep_member({}, makespan);
      if (type == "1d1d-c") keep_member({.rounds = 0}, makespan);
    }
    consider_start("scenario", s.distribution.map);
    if (starts_from("1d1d-l") && !evaluator_.budget_spent()) simulate_shortlist(request.workers);
  }

  void simulate_shortlist(std::optional<WorkerChoice> workers) {
    Shortlist const listed =
        shortlist(evaluator_.scenario().distribution.map.nt, factorization_, costs_, {.workers = workers},
                  listed_maps, [&] { return evaluator_.time_spent(time_of_list_schedules); });
    for (std::size_t i = 0; i < listed.maps.size() && !evaluator_.budget_spent(); ++i) {
      ScheduledMap const& map = listed.maps[i];
      auto const makespan = i == 0 ? consider_start("1d1d-l", map.map) : consider(map.map);
      if (map.member) keep_member(*map.member, makespan);
    }
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
        consider(family_map(evaluator_.scenario().distribution.map.nt, factorization_, costs_, member));
    ++worse_members_;
    keep_member(member, makespan);
    return makespan.has_value();
  }

  bool try_move() {
    TileMap map = found_.map;
    move_randomly(map, nodes_, random_);
    return consider(map).has_value();
  }

  void improve() {
    bool moved = false;  // whether the last turn was a random move
    for (int known = 0; known < known_in_a_row && !evaluator_.budget_spent(); ++known) {
      moved = worse_members_ >= patience && !moved;
      if (moved ? try_move() : try_family()) known = -1;
    }
  }

  MapEvaluator evaluator_;
  SearchOptions const& options_;
  SearchProgress const& progress_;
  Factorization factorization_;
  FactorizationCosts costs_;
  int nodes_;
  SearchRandom random_;
  FamilyMember member_;  // best member of the family
  Seconds member_makespan_{std::numeric_limits<double>::infinity()};
  int worse_members_ = 0;  // since it was found
  FoundDistribution found_;
};

}  // namespace

FoundDistribution search_distribution(PlacedScenario const& scenario, SearchOptions const& options,
                                      SearchProgress const& progress) {
  Application const& app = *tiled_application(scenario, "--search").definition;
  if (app.is_product)
    throw InputError(
        scenario.file + "#/application/type",
        fmt::format("is {} (the search balances what is left of a factorization). Use \"het-grid\" or "
                    "\"1d1d\" without a search",
                    app.name));
  if (scenario.distribution.map.has_layers())
    throw InputError(
        scenario.file + "#/distribution/type",
        "is \"layers\" (the search moves the tiles of one map). Search the map of a layer alone");
  return DistributionSearch(scenario, options, progress).run();
}

}  // namespace factosim
