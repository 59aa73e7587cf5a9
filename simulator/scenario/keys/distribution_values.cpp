#include "simulator/scenario/keys/distribution_values.hpp"

#include <fmt/format.h>

#include <numeric>

namespace factosim {

/// Reads "tie".
TieRule read_tie(JsonReader const& json) {
  auto const tie = json.find("tie");
  return tie && tie->one_of() == "lowest" ? TieRule::lowest : TieRule::highest;
}

/// Reads "p" and "q"; without them the most square grid of all nodes.
Grid read_grid(JsonReader const& json, int nodes) {
  auto const p = json.find("p");
  auto const q = json.find("q");
  if (p.has_value() != q.has_value())
    json.fail("has one of \"p\" and \"q\" (a grid needs both). Give both or none");
  if (!p) return most_square_grid(nodes);
  Grid const grid{static_cast<int>(p->integer(1, nodes)), static_cast<int>(q->integer(1, nodes))};
  if (std::int64_t{grid.p} * grid.q > nodes)
    json.fail(fmt::format("is a grid of {} x {} (there are {} nodes). Give p x q <= {}", grid.p, grid.q,
                          nodes, nodes));
  return grid;
}

/// Reads "panel": tiles after which the map repeats; by default the whole matrix.
Panel read_panel(JsonReader const& json, int nt) {
  Panel panel{.rows = nt, .columns = nt};
  auto const given = json.find("panel");
  if (!given) return panel;
  panel.rows = static_cast<int>(given->at("rows", "tiles after which the map repeats").integer());
  panel.columns = static_cast<int>(given->at("columns", "tiles after which it repeats").integer());
  given->finish();
  return panel;
}

/// Reads an array of one positive number per node.
std::vector<double> read_per_node(JsonReader const& json, std::vector<JsonReader> const& numbers, int nodes) {
  std::vector<double> out;
  for (JsonReader const& number : numbers) out.push_back(number.quantity());
  if (out.size() != static_cast<std::size_t>(nodes))
    json.fail(fmt::format("has {} numbers (there are {} nodes). Give one a node", out.size(), nodes));
  return out;
}

/// Reads "speeds", in proportion to which the matrix is cut.
GivenSpeeds read_speeds(JsonReader const& json, DistributionContext const& context) {
  auto const speeds = json.find("speeds");
  if (speeds && speeds->is_array()) return read_per_node(*speeds, speeds->elements(), context.nodes);
  if (speeds) (void)speeds->one_of();
  if (!context.has_timings)
    json.fail("has no \"speeds\" (without a platform nothing is known of the nodes). Give one number a node");
  return {};
}

/// Reads the speeds of a partition, which takes a time in proportion to the square of the number of nodes.
GivenSpeeds read_few_speeds(JsonReader const& json, DistributionContext const& context) {
  constexpr int maximum = 20'000;
  if (context.nodes > maximum)
    json.fail(
        fmt::format("is made for {} nodes (its time grows with their square; {} are the most). Use "
                    "\"block-cyclic\" or \"g-2dbc\"",
                    context.nodes, maximum));
  return read_speeds(json, context);
}

/// Reads "rates" (flop/s of each node on the update) and "transfer_s".
GivenCosts read_costs(JsonReader const& json, DistributionContext const& context) {
  if (context.is_product)
    json.fail(
        "balances what is left of a factorization (a product updates all tiles all the time). Use another "
        "distribution");
  GivenCosts costs;
  if (auto const given = json.find("rates"); given && given->is_array())
    costs.rates = read_per_node(*given, given->elements(), context.nodes);
  else if (given)
    (void)given->one_of();
  if (!costs.rates && !context.has_timings)
    json.fail(
        "has no \"rates\" (without a platform nothing is known of the nodes). Give the flop/s of each node");
  if (auto const transfer = json.find("transfer_s")) costs.transfer = transfer->quantity();
  return costs;
}

/// Reads a number of tiles for each node.
std::vector<std::uint64_t> read_target(JsonReader const& json, int nt, int nodes) {
  std::vector<std::uint64_t> target;
  for (JsonReader const& count : json.elements())
    target.push_back(static_cast<std::uint64_t>(count.integer(0, std::int64_t{nt} * nt)));
  if (target.size() != static_cast<std::size_t>(nodes))
    json.fail(fmt::format("has {} numbers (there are {} nodes). Give one a node", target.size(), nodes));
  auto const tiles = static_cast<std::uint64_t>(nt) * (static_cast<std::uint64_t>(nt) + 1) / 2;
  auto const sum = std::accumulate(target.begin(), target.end(), std::uint64_t{0});
  if (sum != tiles)
    json.fail(fmt::format("sums up to {} (the lower triangle has {} tiles). Give as many", sum, tiles));
  return target;
}

/// Reads a map as [nt][nt] node numbers.
TileMap read_owners(JsonReader const& json, int nt, int nodes) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  auto const rows = json.elements();
  if (rows.size() != static_cast<std::size_t>(nt))
    json.fail(fmt::format("has {} rows (the matrix has {}). Give [nt][nt] node numbers", rows.size(), nt));
  for (std::size_t m = 0; m < rows.size(); ++m) {
    auto const row = rows[m].elements();
    if (row.size() != rows.size())
      rows[m].fail(
          fmt::format("has {} numbers (the matrix has {} columns). Give one a tile", row.size(), nt));
    for (std::size_t n = 0; n < row.size(); ++n) {  // above the diagonal nothing is stored
      auto const node = row[n].integer(n > m ? -1 : 0, nodes - 1);
      map.owner.push_back(node < 0 ? NodeId{} : NodeId{node});
    }
  }
  return map;
}

}  // namespace factosim
