#include "simulator/scenario/placement/distribution_keys.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "platforms/platform_limits.hpp"

namespace factosim {

namespace {

ObjectKeys const& panel_table() {
  static ObjectKeys const table{.title = "panel",
                                .meaning = "Period of a map.",
                                .keys = {{.name = "rows",
                                          .value = {rule::integer(1, 1'000'000, "tiles")},
                                          .meaning = "period of the rows",
                                          .required = true},
                                         {.name = "columns",
                                          .value = {rule::integer(1, 1'000'000, "tiles")},
                                          .meaning = "period of the columns",
                                          .required = true}}};
  return table;
}

}  // namespace

ValueRule positive_numbers(std::string unit) { return rule::array({rule::positive(std::move(unit))}, 1); }

Key speeds_key() {
  return {.name = "speeds",
          .value = {rule::word({"gemm"}), positive_numbers("")},
          .meaning =
              "shares of the matrix: one number per node, or `gemm`, the total rate of the node's workers on "
              "the update",
          .default_value = "gemm"};
}

Key tie_key() {
  return {.name = "tie",
          .value = {rule::word({"highest", "lowest"})},
          .meaning = "index of the node that is taken among those that would finish at the same time",
          .default_value = "highest"};
}

std::vector<Key> grid_keys() {
  ValueRule const side = rule::integer(1, max_nodes, "nodes");
  return {{.name = "p",
           .value = {side},
           .meaning = "rows of the grid",
           .default_text = "most square grid, p ≤ q"},
          {.name = "q",
           .value = {side},
           .meaning = "columns of the grid",
           .default_text = "most square grid, p ≤ q"}};
}

Key panel_key() {
  return {.name = "panel",
          .value = {rule::object(panel_table)},
          .meaning = "period of the map in tiles",
          .default_text = "the whole matrix"};
}

std::vector<Key> cost_keys() {
  return {
      {.name = "rates",
       .value = {rule::word({"gemm"}), positive_numbers("flop/s")},
       .meaning = "rates for sections and loads: one number per node, or `gemm`, from the kernels' timings",
       .default_value = "gemm"},
      {.name = "transfer_s",
       .value = {rule::non_negative("s")},
       .meaning = "time of one tile between two nodes, for the critical-path bound",
       .default_text = "single transfer over the slower network card"}};
}

Key target_key() {
  return {
      .name = "target",
      .value = {rule::array({rule::integer(0, max_distributed_tiles * max_distributed_tiles, "tiles")}, 1)},
      .meaning = "tiles of the lower triangle, for each node",
      .required = true};
}

TieRule read_tie(JsonReader const& json) {
  auto const tie = json.find("tie");
  return tie && tie->one_of() == "lowest" ? TieRule::lowest : TieRule::highest;
}

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

Panel read_panel(JsonReader const& json, int nt) {
  Panel panel{.rows = nt, .columns = nt};
  auto const given = json.find("panel");
  if (!given) return panel;
  panel.rows = static_cast<int>(given->at("rows", "tiles after which the map repeats").integer());
  panel.columns = static_cast<int>(given->at("columns", "tiles after which it repeats").integer());
  given->finish();
  return panel;
}

std::vector<double> read_per_node(JsonReader const& json, std::vector<JsonReader> const& numbers, int nodes) {
  std::vector<double> out;
  for (JsonReader const& number : numbers) out.push_back(number.quantity());
  if (out.size() != static_cast<std::size_t>(nodes))
    json.fail(fmt::format("has {} numbers (there are {} nodes). Give one a node", out.size(), nodes));
  return out;
}

GivenSpeeds read_speeds(JsonReader const& json, DistributionContext const& context) {
  auto const speeds = json.find("speeds");
  if (speeds && speeds->is_array()) return read_per_node(*speeds, speeds->elements(), context.nodes);
  if (speeds) (void)speeds->one_of();
  if (!context.has_timings)
    json.fail("has no \"speeds\" (without a platform nothing is known of the nodes). Give one number a node");
  return {};
}

GivenSpeeds read_few_speeds(JsonReader const& json, DistributionContext const& context) {
  constexpr int maximum = 20'000;
  if (context.nodes > maximum)
    json.fail(
        fmt::format("is made for {} nodes (its time grows with their square; {} are the most). Use "
                    "\"block-cyclic\" or \"g-2dbc\"",
                    context.nodes, maximum));
  return read_speeds(json, context);
}

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

std::vector<std::uint64_t> read_target(JsonReader const& distribution, DistributionContext const& context) {
  JsonReader const json = distribution.at("target", "tiles per node");
  int const nt = context.nt, nodes = context.nodes;
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

std::vector<JsonReader> listed_numbers(JsonReader const& json) {
  std::vector<JsonReader> numbers;
  for (JsonReader const& element : json.elements()) {
    if (!element.is_array()) {
      numbers.push_back(element);
      continue;
    }
    for (JsonReader const& number : element.elements()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace factosim
