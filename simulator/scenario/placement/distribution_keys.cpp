#include "simulator/scenario/placement/distribution_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "distributions/tiles_sent.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/plugin/plugin_keys.hpp"

namespace factosim {

// One function for each distribution, in a source file of this folder.
DistributionKind block_cyclic_kind();
DistributionKind one_by_one_kind();
DistributionKind constrained_kind();
DistributionKind shuffled_kind();
DistributionKind selected_kind();
DistributionKind het_grid_kind();
DistributionKind kalinov_lastovetsky_kind();
DistributionKind sbc_kind();
DistributionKind generalised_2dbc_kind();
DistributionKind triangle_blocks_kind();
DistributionKind layers_kind();
DistributionKind map_file_kind();
DistributionKind redistribution_kind();
DistributionKind linear_program_kind();
DistributionMethod read_distribution_plugin(JsonReader const& json, PluginFile file);

namespace {

constexpr std::string_view redistribution = "redistribute";

/// The only list of distributions.
std::vector<DistributionKind> const& kinds() {
  static std::vector<DistributionKind> const all{block_cyclic_kind(),
                                                 one_by_one_kind(),
                                                 constrained_kind(),
                                                 shuffled_kind(),
                                                 selected_kind(),
                                                 het_grid_kind(),
                                                 kalinov_lastovetsky_kind(),
                                                 sbc_kind(),
                                                 generalised_2dbc_kind(),
                                                 triangle_blocks_kind(),
                                                 layers_kind(),
                                                 map_file_kind(),
                                                 redistribution_kind(),
                                                 linear_program_kind()};
  return all;
}

// ---- tables of keys ----

ObjectKeys const& generation_table();

/// What a table of a distribution is for.
enum class Role { main, generation, layer };

/// "redistribute" as a generation starts from the map of the distribution.
ObjectKeys::Variant redistribution_of_generation(DistributionKind const& kind) {
  Key target = target_key();
  target.source = kind.source;
  return {"type",
          kind.name,
          {std::move(target)},
          "Algorithm 2: the map nearest to that of the distribution with the given number of tiles per "
          "node."};
}

ObjectKeys make_distribution_table(std::string title, std::string meaning, Role role) {
  ObjectKeys table{std::move(title), std::move(meaning), {}, {}};
  table.keys = {stated_key("type", {rule::word(distribution_names()), plugin_rule()},
                           "name of the distribution, or path of a shared library that offers one",
                           {.required = true})};
  Key const generation{.name = "generation",
                       .value = {rule::object(generation_table)},
                       .meaning = "distribution of the tiles while they are generated, for `exageostat`",
                       .default_text = "the same as of the factorization"};
  for (DistributionKind const& kind : kinds()) {
    if (kind.of_whole && role != Role::main) continue;
    if (role == Role::generation && kind.name == redistribution) {
      table.variants.push_back(redistribution_of_generation(kind));
      continue;
    }
    std::vector<Key> keys = kind.keys;
    for (Key& key : keys)
      if (key.source.empty()) key.source = kind.source;
    if (role != Role::layer) keys.push_back(generation);
    table.variants.push_back({"type", kind.name, std::move(keys), kind.meaning});
  }
  table.variants.push_back(
      plugin_variant("A distribution of your own, with its own keys: see `scenarios/guide/extend.md`."));
  table.variants.back().keys.push_back(generation);
  return table;
}

ObjectKeys const& generation_table() {
  static ObjectKeys const table = make_distribution_table(
      "generation", "The distribution of the tiles of `exageostat` while they are generated.",
      Role::generation);
  return table;
}

ValueRules distribution_rules() { return {rule::object(distribution_table)}; }

// ---- reading ----

/// Reads "type" and the keys of that distribution.
DistributionMethod read_distribution_method(JsonReader const& json, DistributionContext const& context) {
  if (auto file = plugin_file(json)) return read_distribution_plugin(json, std::move(*file));
  std::string const type = json.at("type", "the distribution's name").one_of();
  return std::ranges::find_if(kinds(), [&](DistributionKind const& kind) { return type == kind.name; })
      ->read(json, context);
}

/// Algorithm 2 from the map of the factorization.
DistributionMethod read_redistribution_of_generation(JsonReader const& json,
                                                     DistributionContext const& context) {
  return {.map = [target = read_target(json, context)](DistributionRequest const& request) {
    return Distribution{.map = redistribute(*request.factorization_map, target), .description = {}};
  }};
}

/// Reads "generation" of a distribution: another distribution, or {"type": "redistribute", "target"}.
std::optional<DistributionMethod> read_generation(JsonReader const& json, DistributionContext context,
                                                  DistributionMethod const& main) {
  auto const generation = json.find("generation");
  if (!generation) return {};
  if (!context.has_generation)
    generation->fail("is for applications that generate their tiles (this one does not). Remove it");
  if (main.decides_generation)
    generation->fail("is decided by the distribution itself (it would be ignored). Remove it");
  context.has_generation = false;
  auto const type = generation->find("type");
  if (!type || type->string() != redistribution) return read_distribution(*generation, context).main;
  DistributionMethod out = read_redistribution_of_generation(*generation, context);
  generation->finish();
  return out;
}

ObjectKeys const& panel_table() {
  static ObjectKeys const table{
      "panel",
      "Period of a map.",
      {stated_key("rows", {rule::integer(1, 1'000'000, "tiles")}, "period of the rows", {.required = true}),
       stated_key("columns", {rule::integer(1, 1'000'000, "tiles")}, "period of the columns",
                  {.required = true})}};
  return table;
}

}  // namespace

ObjectKeys const& layer_table() {
  static ObjectKeys const table =
      make_distribution_table("layer", "The distribution of a layer among its nodes.", Role::layer);
  return table;
}

ObjectKeys const& distribution_table() {
  static ObjectKeys const table = make_distribution_table(
      "distribution", "The owner of each tile; by default block-cyclic on the most square grid of all nodes.",
      Role::main);
  return table;
}

std::vector<std::string> distribution_names() { return names_of(kinds()); }

std::vector<DescribedName> described_distributions() { return described(kinds()); }

DistributionDescription read_distribution(std::optional<JsonReader> const& json,
                                          DistributionContext const& context) {
  nlohmann::json const by_default = {{"type", "block-cyclic"}};
  JsonReader const reader =
      (json ? *json : JsonReader(by_default, "", "/distribution")).by(distribution_rules);
  DistributionDescription out{.main = read_distribution_method(reader, context)};
  out.main.where = reader.where();
  out.generation = read_generation(reader, context, out.main);
  reader.finish();
  return out;
}

int count_nodes(JsonReader const& given) {
  JsonReader const distribution = given.by(distribution_rules);
  if (auto const target = distribution.find("target")) return static_cast<int>(target->elements().size());
  if (auto const times = distribution.find("cycle_times")) {
    auto const count = times->is_object() ? distribution.at("p", "rows of the grid").integer(1, 1000) *
                                                distribution.at("q", "columns of the grid").integer(1, 1000)
                                          : static_cast<std::int64_t>(listed_numbers(*times).size());
    if (count > 0) return static_cast<int>(count);
  }
  auto const rates = distribution.find("rates");
  if (rates && rates->is_array() && !distribution.find("speeds"))
    return static_cast<int>(rates->elements().size());
  JsonReader const speeds = distribution.at("speeds", "one number a node, since there is no platform");
  std::size_t const count = speeds.elements().size();
  if (count == 0) speeds.fail("is empty (there would be no node). Give one number a node");
  return static_cast<int>(count);
}

ValueRule positive_numbers(std::string unit) { return rule::array({rule::positive(std::move(unit))}, 1); }

Key speeds_key() {
  return stated_key(
      "speeds", {rule::word({"gemm"}), positive_numbers("")},
      "shares of the matrix: one number per node, or `gemm`, the total rate of the node's workers on "
      "the update",
      {.default_value = "gemm"});
}

Key tie_key() {
  return stated_key("tie", {rule::word({"highest", "lowest"})},
                    "index of the node that is taken among those that would finish at the same time",
                    {.default_value = "highest"});
}

std::vector<Key> grid_keys() {
  ValueRule const side = rule::integer(1, max_nodes, "nodes");
  return {stated_key("p", {side}, "rows of the grid", {.default_text = "most square grid, p ≤ q"}),
          stated_key("q", {side}, "columns of the grid", {.default_text = "most square grid, p ≤ q"})};
}

Key panel_key() {
  return stated_key("panel", {rule::object(panel_table)}, "period of the map in tiles",
                    {.default_text = "the whole matrix"});
}

std::vector<Key> cost_keys() {
  return {
      stated_key("rates", {rule::word({"gemm"}), positive_numbers("flop/s")},
                 "rates for sections and loads: one number per node, or `gemm`, from the kernels' timings",
                 {.default_value = "gemm"}),
      stated_key("transfer_s", {rule::non_negative("s")},
                 "time of one tile between two nodes, for the critical-path bound",
                 {.default_text = "single transfer over the slower network card"})};
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
  Grid const grid{static_cast<int>(p->integer(1, max_nodes)), static_cast<int>(q->integer(1, max_nodes))};
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
