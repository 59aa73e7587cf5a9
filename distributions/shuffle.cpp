#include "distributions/shuffle.hpp"

#include <algorithm>
#include <numeric>

#include "distributions/ties.hpp"

namespace factosim {

namespace {

/// Maximum difference of balanced loads, in updates of a tile on the slowest node: the paper's 20 ms, where an update of
/// 960 x 960 elements takes 2 x 960^3 / 560 GFlop/s on a Chetemi.
constexpr double usual_difference = 20e-3 / (2 * 960.0 * 960.0 * 960.0 / 560e9);

double allowed_difference(ShuffleOptions const& options, FactorizationCosts const& costs) {
  double slowest = 0;
  for (NodeCosts const& node : costs.nodes) slowest = std::max(slowest, node.area_of(TaskKind::update));
  return options.threshold.value_or(usual_difference * slowest);
}

struct Tile {
  int m, n;
  [[nodiscard]] int last_k() const { return std::min(m, n); }  // from 0
};

/// Calls `visit` for each tile that the factorization writes.
template <class Visit>
void for_each_tile(TileMap const& map, Factorization factorization, Visit&& visit) {
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < (factorization == Factorization::cholesky ? m + 1 : map.nt); ++n) visit(Tile{m, n});
}

class Shuffle {
 public:
  Shuffle(TileMap& map, Factorization factorization, FactorizationCosts const& costs, ShuffleOptions options)
      : map_(map),
        factorization_(factorization),
        costs_(costs),
        options_(options),
        threshold_(allowed_difference(options, costs)) {}

  /// Balances iterations first..last, numbered from 0, among the nodes.
  void balance(int first, int last, std::vector<std::uint32_t> const& nodes) {
    first_ = first;
    last_ = last;
    find_loads_and_tiles();
    double average = 0;
    for (std::uint32_t const node : nodes) average += load_[node] / static_cast<double>(nodes.size());
    auto const load = [&](std::uint32_t node) { return load_[node]; };
    auto const whole = [&](std::uint32_t node) { return whole_load_[node]; };
    while (true) {
      std::uint32_t const maximum = largest(largest(nodes, load), whole).front();
      std::uint32_t const minimum = smallest(smallest(nodes, load), whole).front();
      if (!surely_less(load_[minimum] + threshold_, load_[maximum]) || !move_one(maximum, minimum, average))
        return;
    }
  }

  [[nodiscard]] std::vector<TileMove> take_moves() { return std::move(moves_); }

 private:
  /// Returns the cost of the tile on the node in the balanced iterations.
  [[nodiscard]] double cost(Tile t, std::uint32_t node) const {
    NodeCosts const& c = costs_.nodes[node];
    int const updates = std::min(last_ + 1, t.last_k()) - first_;
    double const update = c.area_of(task_kind(factorization_, t.last_k() - 1, t.m, t.n));
    double sum = updates > 0 ? updates * update : 0;
    if (t.last_k() >= first_ && t.last_k() <= last_)
      sum += c.area_of(task_kind(factorization_, t.last_k(), t.m, t.n));
    return sum;
  }

  /// Returns the cost of the tile on the node in all iterations.
  [[nodiscard]] double whole_cost(Tile t, std::uint32_t node) const {
    NodeCosts const& c = costs_.nodes[node];
    double const last = c.area_of(task_kind(factorization_, t.last_k(), t.m, t.n));
    return t.last_k() == 0
               ? last
               : last + t.last_k() * c.area_of(task_kind(factorization_, t.last_k() - 1, t.m, t.n));
  }

  /// Visits the tiles row by row, so that the right-bottom-most one is the last.
  void find_loads_and_tiles() {
    load_.assign(costs_.nodes.size(), 0);
    whole_load_ = load_;
    movable_.assign(costs_.nodes.size(), {});
    for_each_tile(map_, factorization_, [&](Tile t) {
      std::uint32_t const node = map_.at(t.m, t.n).value();
      load_[node] += cost(t, node);
      whole_load_[node] += whole_cost(t, node);
      if (t.last_k() >= first_ && t.last_k() <= last_) movable_[node].push_back(t);
    });
  }

  bool move_one(std::uint32_t from, std::uint32_t to, double average) {
    auto& tiles = movable_[from];
    auto const fits = std::find_if(tiles.rbegin(), tiles.rend(),
                                   [&](Tile t) { return !surely_less(average, load_[to] + cost(t, to)); });
    if (fits == tiles.rend() || (fits != tiles.rbegin() && !options_.smaller_tiles)) return false;
    Tile const tile = *fits;
    tiles.erase(std::next(fits).base());
    load_[from] -= cost(tile, from);
    load_[to] += cost(tile, to);
    whole_load_[from] -= whole_cost(tile, from);
    whole_load_[to] += whole_cost(tile, to);
    map_.at(tile.m, tile.n) = NodeId{to};
    moves_.push_back({tile.m, tile.n, NodeId{from}, NodeId{to}});
    return true;
  }

  TileMap& map_;
  Factorization factorization_;
  FactorizationCosts const& costs_;
  ShuffleOptions options_;
  double threshold_;  // seconds
  int first_ = 0, last_ = 0;
  std::vector<double> load_;                // [nodes] in the balanced iterations
  std::vector<double> whole_load_;          // [nodes] in all iterations
  std::vector<std::vector<Tile>> movable_;  // [nodes]
  std::vector<TileMove> moves_;
};

double difference(std::vector<double> const& values) {
  auto const [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  return *maximum - *minimum;
}

struct Spike {
  int k = 0;  // from 0
  double imbalance = 0;
};

/// Returns the iteration where the cumulative loads differ most between nodes.
Spike largest_spike(std::vector<std::vector<double>> const& loads) {
  Spike spike;
  std::vector<double> sum(loads.size(), 0);
  for (std::size_t k = 0; k < loads.front().size(); ++k) {
    for (std::size_t p = 0; p < loads.size(); ++p) sum[p] += loads[p][k];
    if (double const d = difference(sum); surely_less(spike.imbalance, d))
      spike = {.k = static_cast<int>(k), .imbalance = d};
  }
  return spike;
}

double total(std::vector<std::vector<double>> const& loads, Section const& section) {
  double sum = 0;
  for (auto const& of_node : loads)
    sum += std::accumulate(of_node.begin() + section.last_k - 1, of_node.begin() + section.first_k, 0.0);
  return sum;
}

}  // namespace

std::vector<TileMove> shuffle(TileMap& map, Factorization factorization, FactorizationCosts const& costs,
                              std::vector<Section> const& sections, ShuffleOptions const& options) {
  auto loads = iteration_loads(map, factorization, costs);
  Section const longest =
      largest(sections, [&](Section const& section) { return total(loads, section); }).front();
  Shuffle shuffle(map, factorization, costs, options);
  if (options.rounds > 0) shuffle.balance(longest.last_k - 1, longest.first_k - 1, longest.nodes);
  for (int round = 1; round < options.rounds; ++round) {
    loads = iteration_loads(map, factorization, costs);
    Spike const spike = largest_spike(loads);
    if (!surely_less(allowed_difference(options, costs), spike.imbalance)) break;
    shuffle.balance(0, options.all_iterations ? map.nt - 1 : spike.k, longest.nodes);
  }
  return shuffle.take_moves();
}

}  // namespace factosim
