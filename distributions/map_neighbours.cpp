#include "distributions/map_neighbours.hpp"

#include <algorithm>
#include <array>

#include "distributions/constrained.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "distributions/ties.hpp"

namespace factosim {

namespace {

NodeId& owner(TileMap& map, bool by_rows, int line, int i) {
  int const m = by_rows ? line : i;
  int const n = by_rows ? i : line;
  return map
      .owner[static_cast<std::size_t>(m) * static_cast<std::size_t>(map.nt) + static_cast<std::size_t>(n)];
}

/// Returns a length in 1..nt; all powers of two are equally likely.
int random_length(int nt, SearchRandom& random) {
  int powers = 1;
  while ((1 << powers) < nt) ++powers;
  int const minimum = 1 << random.below(powers + 1);
  return std::min(nt, minimum + random.below(minimum));
}

/// Gives a segment of `lines` neighbouring rows or columns the owners of another place.
void copy_piece(TileMap& map, int lines, int length, SearchRandom& random) {
  bool const by_rows = random.below(2) == 0;
  int const to = random.below(map.nt - lines + 1);
  int const from = random.below(map.nt - lines + 1);
  int const first = random.below(map.nt - length + 1);
  TileMap old = map;
  for (int line = 0; line < lines; ++line)
    for (int i = first; i < first + length; ++i)
      owner(map, by_rows, to + line, i) = owner(old, by_rows, from + line, i);
}

void copy_cross(TileMap& map, SearchRandom& random) {
  int const to = random.below(map.nt);
  int const from = random.below(map.nt);
  for (bool const by_rows : {true, false})
    for (int i = 0; i < map.nt; ++i) owner(map, by_rows, to, i) = owner(map, by_rows, from, i);
}

void move_tile(TileMap& map, int nodes, SearchRandom& random) {
  int const m = random.below(map.nt);
  int const n = random.below(map.nt);
  owner(map, true, m, n) = NodeId{static_cast<std::uint32_t>(random.below(nodes))};
}

/// Returns the numbers of the `count` fastest nodes, or of all, ascending; ties to the lower number.
std::vector<std::uint32_t> fastest_nodes(FactorizationCosts const& costs, int count) {
  std::vector<std::uint32_t> nodes = ascending(update_times(costs));
  if (count != 0) nodes.resize(static_cast<std::size_t>(count));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

FactorizationCosts costs_of(std::vector<std::uint32_t> const& nodes, FactorizationCosts const& all) {
  FactorizationCosts costs{.nodes = {}, .transfer = all.transfer};
  for (std::uint32_t const node : nodes) costs.nodes.push_back(all.nodes[node]);
  return costs;
}

FactorizationCosts with_longer_path(FactorizationCosts costs, double factor) {
  costs.transfer *= factor;
  for (NodeCosts& node : costs.nodes)
    for (double& alone : node.alone) alone *= factor;
  return costs;
}

std::vector<double> speeds_of(FactorizationCosts const& costs, double exponent) {
  std::vector<double> values = update_times(costs);
  double const unit = values.front();
  for (double& value : values) value = std::pow(unit / value, exponent);
  return values;
}

int changed_count(int count, int nodes, double by) {
  int const now = count == 0 ? nodes : count;
  int const changed = now + static_cast<int>(std::lround(nodes * by));
  return changed >= nodes ? 0 : std::max(1, changed);
}

void change_one(FamilyMember& m, double step, int nodes, SearchRandom& random) {
  constexpr double min_exponent = 0.1;
  constexpr double least_borders = 1.0 / 64;  // a factor would not lead away from 0
  constexpr std::array rounds{0, 1, 4};
  switch (random.below(7)) {
    case 0:
      m.nodes = changed_count(m.nodes, nodes, step / 4 * random.around_zero());
      break;
    case 1:
      m.column_cost *= std::exp2(step * random.around_zero());
      break;
    case 2:
      m.exponent = std::max(min_exponent, m.exponent + 0.3 * step * random.around_zero());
      break;
    case 3:
      m.borders = (m.borders == 0 ? least_borders : m.borders) * std::exp2(step * random.around_zero());
      break;
    case 4:
      m.rounds = rounds[static_cast<std::size_t>(random.below(rounds.size()))];
      break;
    case 5:
      m.smaller_tiles = !m.smaller_tiles;
      break;
    default:
      m.tie = m.tie == TieRule::highest ? TieRule::lowest : TieRule::highest;
  }
}

}  // namespace

void move_randomly(TileMap& map, int nodes, SearchRandom& random) {
  int const kind = random.below(4);
  if (kind == 0) return move_tile(map, nodes, random);
  if (kind == 1) return copy_cross(map, random);
  int const length = random_length(map.nt, random);
  if (kind == 2) return copy_piece(map, 1, length, random);
  int const side = std::max(1, length / 2);
  copy_piece(map, side, side, random);
}

std::set<std::size_t> counts_of_fastest(std::span<double const> times) {
  std::set<std::size_t> counts;
  for (std::size_t n = times.size(); n > 0; n /= 2) counts.insert(n);
  std::vector<std::uint32_t> const nodes = ascending(times);
  for (std::size_t n = 1; n < nodes.size(); ++n)
    if (surely_less(times[nodes[n - 1]], times[nodes[n]])) counts.insert(n);
  return counts;
}

TileMap family_map(int nt, Factorization factorization, FactorizationCosts const& all,
                   FamilyMember const& member) {
  std::vector<std::uint32_t> const nodes = fastest_nodes(all, member.nodes);
  FactorizationCosts const costs = costs_of(nodes, all);
  SquarePartition const partition = column_partition(speeds_of(costs, member.exponent), member.column_cost);
  ConstrainedMap made =
      constrained(nt, factorization, partition, with_longer_path(costs, member.borders), member.tie);
  shuffle(made.map, factorization, costs, made.sections,
          {.smaller_tiles = member.smaller_tiles, .rounds = member.rounds});
  for (NodeId& owner : made.map.owner) owner = NodeId{nodes[owner.index()]};
  return std::move(made.map);
}

FamilyMember random_neighbour(FamilyMember member, int nodes, SearchRandom& random) {
  double const step = std::exp2(1 - random.below(4));
  for (int changes = 1 + random.below(3); changes > 0; --changes) change_one(member, step, nodes, random);
  return member;
}

}  // namespace factosim
