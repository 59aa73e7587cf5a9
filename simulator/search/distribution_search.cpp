#include "simulator/search/distribution_search.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "distributions/map_neighbours.hpp"
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

/// Names of the distributions that need only the platform.
std::vector<std::string> static_types(Factorization factorization, int nodes) {
  std::vector<std::string> types{"1d1d-c+s", "1d1d-c", "1d1d", "block-cyclic", "g-2dbc"};
  bool const symmetric = sbc_size(nodes, SbcVariant::extended) || sbc_size(nodes, SbcVariant::basic);
  if (factorization == Factorization::cholesky && symmetric) types.emplace_back("sbc");
  return types;
}

PlacedScenario without_simgrid(PlacedScenario scenario) {
  if (scenario.network.model == NetworkModel::simgrid) scenario.network.model = NetworkModel::maxmin;
  return scenario;
}

/// Simulates one scenario with different maps. SimGrid's network is replaced by the built-in max-min network,
/// since SimGrid can simulate only once per process.
class MapEvaluator {
 public:
  MapEvaluator(PlacedScenario scenario, SearchBudget const& budget)
      : budget_(budget), plan_(plan_tasks(without_simgrid(std::move(scenario)))) {}

  /// Returns nothing if a map with the same owners was simulated before.
  std::optional<Seconds> makespan(TileMap const& map) {
    if (!known_.insert(fingerprint(map)).second) return std::nullopt;
    ++evaluations_;
    re_place(plan_, map);
    return simulate_with_seed(plan_, plan_.scenario.seed, nullptr, {}).makespan;
  }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] bool budget_spent() const {
    if (budget_.evaluations && evaluations_ >= *budget_.evaluations) return true;
    return budget_.time &&
           std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.time->value;
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
  SearchBudget budget_;
  TaskPlan plan_;
  std::set<std::string> known_;  // fingerprints of the simulated maps
  std::uint64_t evaluations_ = 0;
};

class DistributionSearch {
 public:
  DistributionSearch(PlacedScenario const& scenario, SearchBudget const& budget,
                     SearchProgress const& progress)
      : evaluator_(scenario, budget),
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

  void simulate_starts() {
    PlacedScenario const& s = evaluator_.scenario();
    DistributionRequest const request = distribution_request(s);
    DistributionContext const context{.nt = request.nt, .nodes = request.nodes, .has_timings = true};
    for (std::string const& type : static_types(factorization_, nodes_)) {
      nlohmann::json const json = {{"type", type}};
      auto const made =
          make_distribution(read_distribution(JsonReader(json, s.file, "/distribution"), context), request);
      auto const makespan = consider_start(type, made.map);
      if (type == "1d1d-c+s") member_makespan_ = *makespan;  // simulated first, so it is new
      if (type == "1d1d-c" && makespan && *makespan < member_makespan_) {
        member_.rounds = 0;
        member_makespan_ = *makespan;
      }
    }
    consider_start("scenario", s.distribution.map);
  }

  /// Simulates a neighbour of the family's best member. Returns false if it was simulated before.
  bool try_family() {
    FamilyMember const member = random_neighbour(member_, nodes_, random_);
    auto const makespan =
        consider(family_map(evaluator_.scenario().distribution.map.nt, factorization_, costs_, member));
    ++worse_members_;
    if (!makespan || *makespan >= member_makespan_) return makespan.has_value();
    member_ = member;
    member_makespan_ = *makespan;
    worse_members_ = 0;
    return true;
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
  SearchProgress const& progress_;
  Factorization factorization_;
  FactorizationCosts costs_;
  int nodes_;
  SearchRandom random_;
  FamilyMember member_;      // best member of the family
  Seconds member_makespan_;  // its makespan
  int worse_members_ = 0;    // since it was found
  FoundDistribution found_;
};

}  // namespace

FoundDistribution search_distribution(PlacedScenario const& scenario, SearchBudget const& budget,
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
  return DistributionSearch(scenario, budget, progress).run();
}

}  // namespace factosim
