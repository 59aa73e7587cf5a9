#include "simulator/studies/search/distribution_search.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "distributions/block_cyclic.hpp"
#include "distributions/layered.hpp"
#include "distributions/selected_map.hpp"
#include "distributions/ties.hpp"
#include "factosim/error.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/scenario/simulation/place.hpp"

namespace factosim {

namespace {

constexpr int patience = 40;  // consecutive family members without improvement

class DistributionSearch {
 public:
  DistributionSearch(PlacedScenario const& scenario, SearchOptions const& options,
                     SearchProgress const& progress)
      : maps_(scenario, options.limits, progress),
        options_(options),
        given_(scenario.distribution.map),
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
    consider_start("scenario", given_);
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
  TileMap given_;  // the scenario's own
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

constexpr std::size_t max_layers = 4;

std::size_t below(std::size_t count, SearchRandom& random) {
  return static_cast<std::size_t>(random.below(static_cast<int>(count)));
}

/// Gives each layer about as many neighbouring nodes. Returns [layers] node numbers, ascending.
std::vector<std::vector<std::uint32_t>> deal_in_blocks(std::span<std::uint32_t const> nodes,
                                                       std::size_t layers) {
  std::vector<std::vector<std::uint32_t>> out(layers);
  for (std::size_t i = 0; i < nodes.size(); ++i) out[i * layers / nodes.size()].push_back(nodes[i]);
  for (auto& layer : out) std::ranges::sort(layer);
  return out;
}

/// Changes the number of layers. All get the map of one, and the panels go to the layers of their iterations.
void set_layers(LayerChoice& choice, std::size_t layers, SearchRandom& random) {
  std::size_t const map = choice.maps[below(choice.maps.size(), random)];
  choice.maps.assign(layers, map);
  choice.panels.reset();
}

class Change {
 public:
  Change(LayerChoice& choice, std::span<double const> times, SearchRandom& random)
      : c_(choice), nodes_(ascending(times)), random_(random) {}

  void run() {
    switch (random_.below(8)) {
      case 0:
        return change_layers();
      case 1:
        return change_nodes();
      case 2:
        return exchange_nodes();
      case 3:
        return move_node();
      case 4:
        return random_.below(2) == 0 ? add_node() : drop_node();
      case 5:
        return change_maps();
      case 6:
        c_.consecutive = std::array{1, 2, 3, 4, 6, 8, 12}[below(7, random_)];
        return;
      default:
        if (random_.below(2) == 0)
          c_.panels.reset();
        else
          c_.panels = static_cast<std::uint32_t>(random_layer());
    }
  }

 private:
  [[nodiscard]] std::size_t random_layer() { return below(c_.nodes.size(), random_); }

  /// Returns the nodes that are in a layer or, if `used` is false, in none; fastest first.
  [[nodiscard]] std::vector<std::uint32_t> nodes_that_are(bool used) const {
    std::set<std::uint32_t> in_layers;
    for (auto const& layer : c_.nodes) in_layers.insert(layer.begin(), layer.end());
    std::vector<std::uint32_t> out;
    std::ranges::copy_if(nodes_, std::back_inserter(out),
                         [&](std::uint32_t node) { return in_layers.contains(node) == used; });
    return out;
  }

  void insert(std::size_t layer, std::uint32_t node) {
    auto& nodes = c_.nodes[layer];
    nodes.insert(std::ranges::upper_bound(nodes, node), node);
  }

  std::uint32_t take(std::size_t layer) {
    auto& nodes = c_.nodes[layer];
    auto const place = nodes.begin() + random_.below(static_cast<int>(nodes.size()));
    std::uint32_t const node = *place;
    nodes.erase(place);
    return node;
  }

  void change_layers() {
    auto const used = nodes_that_are(true);
    std::size_t const layers = 1 + below(std::min(max_layers, used.size()), random_);
    set_layers(c_, layers, random_);
    c_.nodes = random_.below(2) == 0 ? deal_in_turn(used, layers) : deal_in_blocks(used, layers);
  }

  void change_nodes() {
    int const all = static_cast<int>(nodes_.size());
    int const step = std::max(1, all >> (1 + random_.below(4)));
    int const now = static_cast<int>(nodes_that_are(true).size());
    int const count =
        std::clamp(now - step + random_.below(2 * step + 1), static_cast<int>(c_.nodes.size()), all);
    auto const fastest = std::span(nodes_).first(static_cast<std::size_t>(count));
    std::size_t const layers = c_.nodes.size();
    c_.nodes = random_.below(3) != 0 ? deal_in_turn(fastest, layers) : deal_in_blocks(fastest, layers);
  }

  void exchange_nodes() {
    std::size_t const one = random_layer(), other = random_layer();
    if (one == other) return;
    std::uint32_t const node = take(one);
    insert(one, take(other));
    insert(other, node);
  }

  void move_node() {
    std::size_t const from = random_layer(), to = random_layer();
    if (from != to && c_.nodes[from].size() > 1) insert(to, take(from));
  }

  void add_node() {
    auto const unused = nodes_that_are(false);
    if (!unused.empty()) insert(random_layer(), unused[below(unused.size(), random_)]);
  }

  void drop_node() {
    if (std::size_t const layer = random_layer(); c_.nodes[layer].size() > 1) (void)take(layer);
  }

  void change_maps() {
    std::size_t const map = below(layer_maps.size(), random_);
    if (random_.below(2) == 0)
      c_.maps.assign(c_.maps.size(), map);
    else
      c_.maps[random_layer()] = map;
  }

  LayerChoice& c_;
  std::vector<std::uint32_t> nodes_;  // fastest first
  SearchRandom& random_;
};

struct Simulated {
  LayerChoice choice;
  Seconds makespan;
};

class LayerSearch {
 public:
  LayerSearch(PlacedScenario const& scenario, SearchLimits const& limits, SearchProgress const& progress)
      : maps_(scenario, limits, progress),
        addition_bandwidth_(scenario.distribution.layers->addition_bandwidth),
        times_(update_times(costs_of(timed_application(scenario)))),
        random_(scenario.seed) {}

  FoundDistribution run() {
    auto const own = maps_.consider(maps_.scenario().distribution);
    for (LayerChoice& choice : first_layer_choices(times_)) {
      if (maps_.budget_spent()) break;
      (void)consider(std::move(choice));
    }
    Seconds const start = maps_.best().makespan;
    for (int known = 0; known < known_maps_in_a_row && !maps_.budget_spent(); ++known)
      if (consider(random_neighbour(next(), times_, random_))) known = -1;
    FoundDistribution found = maps_.best();
    found.start = own == start ? "scenario" : "layers";
    found.start_makespan = start;
    return found;
  }

 private:
  /// Simulates the choice and goes on from it if it is the best. Returns false if it was not simulated.
  bool consider(LayerChoice choice) {
    nlohmann::ordered_json const json = choice.json(addition_bandwidth_);
    auto const makespan = maps_.consider(distribution_of(json, maps_.scenario()),
                                         std::make_optional<nlohmann::ordered_json>(json));
    if (!makespan) return false;
    auto const [best, is_first] = best_.try_emplace(choice.nodes.size(), Simulated{choice, *makespan});
    if (!is_first && *makespan < best->second.makespan) best->second = {std::move(choice), *makespan};
    return true;
  }

  /// Returns the best choice of a random number of layers, or the first one.
  [[nodiscard]] LayerChoice next() {
    if (best_.empty()) return first_layer_choices(times_).front();  // as long as none fits
    return std::next(best_.begin(), random_.below(static_cast<int>(best_.size())))->second.choice;
  }

  SimulatedMaps maps_;
  double addition_bandwidth_;
  std::vector<double> times_;  // [nodes] of an update
  SearchRandom random_;
  std::map<std::size_t, Simulated> best_;  // of each number of layers
};

}  // namespace

nlohmann::ordered_json LayerChoice::json(double addition_bandwidth) const {
  nlohmann::ordered_json out = {{"type", "layers"}, {"layers", nodes.size()}};
  for (std::size_t const map : maps) out["layer"].push_back({{"type", layer_maps[map]}});
  out["nodes"] = nodes;
  out["consecutive"] = consecutive;
  if (panels) out["panels"] = *panels;
  if (addition_bandwidth != default_addition_Bps) out["addition_Bps"] = addition_bandwidth;
  return out;
}

std::vector<LayerChoice> first_layer_choices(std::span<double const> times) {
  std::vector<std::uint32_t> const nodes = ascending(times);
  std::set<std::size_t> const counts = counts_of_fastest(times);
  std::vector<LayerChoice> out;
  for (auto count = counts.rbegin(); count != counts.rend(); ++count)
    for (std::size_t layers = 1; layers <= std::min<std::size_t>(3, *count); ++layers)
      for (int consecutive = 1; consecutive <= (layers == 1 ? 1 : 2); ++consecutive)
        out.push_back({.nodes = deal_in_turn(std::span(nodes).first(*count), layers),
                       .maps = std::vector<std::size_t>(layers, 0),
                       .consecutive = consecutive});
  return out;
}

LayerChoice random_neighbour(LayerChoice choice, std::span<double const> times, SearchRandom& random) {
  for (int changes = 1 + random.below(3); changes > 0; --changes) Change(choice, times, random).run();
  return choice;
}

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
    return LayerSearch(scenario, options.limits, progress).run();
  }
  return DistributionSearch(scenario, options, progress).run();
}

}  // namespace factosim
