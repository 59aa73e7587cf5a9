#include "simulator/scenario/distribution_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace factosim {

namespace {

/// Fails where a node has no timing of some kernel.
FactorizationCosts known_costs(JsonReader const& json, DistributionRequest const& request) {
  FactorizationCosts costs = request.costs();
  for (std::size_t n = 0; n < costs.nodes.size(); ++n)
    for (double const area : costs.nodes[n].area)
      if (std::isinf(area))
        json.fail(
            fmt::format("needs the rate of node {} (it has no timing of some kernel for these tiles and this "
                        "precision). Use other tiles, or a distribution that asks for no rates",
                        n));
  return costs;
}

/// Nodes that are one worker each, with those rates on every task.
FactorizationCosts costs_by_rates(std::vector<double> const& rates, DistributionRequest const& request) {
  double const update = request.update_flops.value;
  double const diagonal = update / (request.factorization == Factorization::lu ? 3 : 6);
  std::array<double, task_kinds> const flops{diagonal, update / 2, update / 2, update};
  FactorizationCosts costs;
  for (double const rate : rates) {
    NodeCosts& node = costs.nodes.emplace_back();
    for (std::size_t kind = 0; kind < task_kinds; ++kind)
      node.area[kind] = node.alone[kind] = flops[kind] / rate;
  }
  return costs;
}

}  // namespace

TieRule read_tie(JsonReader const& json) {
  auto const tie = json.find("tie");
  return tie && tie->one_of({"highest", "lowest"}) == "lowest" ? TieRule::lowest : TieRule::highest;
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
  panel.rows = static_cast<int>(given->at("rows", "tiles after which the map repeats").integer(1, 1'000'000));
  panel.columns =
      static_cast<int>(given->at("columns", "tiles after which it repeats").integer(1, 1'000'000));
  given->finish();
  return panel;
}

std::vector<double> read_per_node(JsonReader const& json, int nodes) {
  std::vector<double> out;
  for (JsonReader const& number : json.elements()) out.push_back(number.positive());
  if (out.size() != static_cast<std::size_t>(nodes))
    json.fail(fmt::format("has {} numbers (there are {} nodes). Give one a node", out.size(), nodes));
  return out;
}

std::vector<double> read_speeds(JsonReader const& json, DistributionRequest const& request) {
  auto const speeds = json.find("speeds");
  if (speeds && speeds->is_array()) return read_per_node(*speeds, request.nodes);
  if (speeds) (void)speeds->one_of({"gemm"});
  if (!request.costs)
    json.fail("has no \"speeds\" (without a platform nothing is known of the nodes). Give one number a node");
  std::vector<double> out;
  for (NodeCosts const& costs : known_costs(json, request).nodes)
    out.push_back(1 / costs.area_of(TaskKind::update));
  return out;
}

FactorizationCosts read_costs(JsonReader const& json, DistributionRequest const& request) {
  if (request.is_product)
    json.fail(
        "balances what is left of a factorization (a product updates all tiles all the time). Use another "
        "distribution");
  std::optional<std::vector<double>> rates;
  if (auto const given = json.find("rates"); given && given->is_array())
    rates = read_per_node(*given, request.nodes);
  else if (given)
    (void)given->one_of({"gemm"});
  if (!rates && !request.costs)
    json.fail(
        "has no \"rates\" (without a platform nothing is known of the nodes). Give the flop/s of each node");
  FactorizationCosts costs = request.costs ? known_costs(json, request) : costs_by_rates(*rates, request);
  for (std::size_t n = 0; rates && n < rates->size(); ++n) {
    double const area = request.update_flops.value / (*rates)[n];
    double const scale = area / costs.nodes[n].area_of(TaskKind::update);
    for (double& of_kind : costs.nodes[n].area) of_kind *= scale;
  }
  if (auto const transfer = json.find("transfer_s")) costs.transfer = transfer->non_negative();
  return costs;
}

}  // namespace factosim
