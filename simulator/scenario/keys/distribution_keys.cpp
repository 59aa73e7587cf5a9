#include "simulator/scenario/keys/distribution_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "distributions/layered.hpp"
#include "distributions/map_file.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/keys/distribution_values.hpp"
#include "simulator/scenario/keys/plugin_keys.hpp"

namespace factosim {

namespace {

// ---- the heterogeneous grid ----

GridMethod const& read_method(JsonReader const& json, Grid grid) {
  auto const given = json.find("method");
  if (!given) return grid_methods.front();
  std::string const name = given->one_of();
  GridMethod const& method = *std::ranges::find(grid_methods, name, &GridMethod::name);
  if (grid.p * grid.q > method.max_places && grid.p > 1 && grid.q > 1)
    given->fail(
        fmt::format("is {} on a grid of {} x {} (its time grows exponentially; {} places are the most). "
                    "Use \"exchanges\"",
                    name, grid.p, grid.q, method.max_places));
  return method;
}

/// Returns the numbers of one list, or of one list per row of the grid.
std::vector<JsonReader> listed(JsonReader const& json) {
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

/// Draws numbers from ]0, 1], the same on every machine.
std::vector<double> random_times(std::uint64_t seed, int nodes) {
  std::mt19937_64 engine(seed);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(nodes));
  for (int n = 0; n < nodes; ++n) times.push_back(static_cast<double>((engine() >> 11U) + 1) * 0x1p-53);
  return times;
}

/// Reads one number per node; given speeds are inverted.
GivenSpeeds read_cycle_times(JsonReader const& json, DistributionContext const& context) {
  auto const given = json.find("cycle_times");
  if (!given) {
    GivenSpeeds times = read_speeds(json, context);
    if (times)
      for (double& time : *times) time = 1 / time;
    return times;
  }
  if (auto const speeds = json.find("speeds"))
    speeds->fail("stands beside \"cycle_times\" (each follows from the other). Remove one of them");
  if (given->is_object()) {
    auto const seed = given->at("random", "a seed: numbers between 0 and 1").integer();
    given->finish();
    return random_times(static_cast<std::uint64_t>(seed), context.nodes);
  }
  return read_per_node(*given, listed(*given), context.nodes);
}

PanelOrder read_order(JsonReader const& json, DistributionContext const& context) {
  auto const given = json.find("order");
  if (!given) return context.is_product ? PanelOrder::consecutive : PanelOrder::one_dimensional;
  return given->one_of() == "consecutive" ? PanelOrder::consecutive : PanelOrder::one_dimensional;
}

// ---- one function per distribution ----

DistributionMethod read_block_cyclic(JsonReader const& json, DistributionContext const& context) {
  return BlockCyclic{read_grid(json, context.nodes)};
}

DistributionMethod read_one_by_one(JsonReader const& json, DistributionContext const& context) {
  OneByOne out{.speeds = read_few_speeds(json, context)};
  auto const partition = json.find("partition");
  out.nagamochi_abe = partition && partition->one_of() == "nagamochi-abe";
  out.tie = read_tie(json);
  return out;
}

ConstrainedOneByOne constrained_of(JsonReader const& json, DistributionContext const& context) {
  GivenCosts costs = read_costs(json, context);
  return {.speeds = read_few_speeds(json, context), .costs = std::move(costs), .tie = read_tie(json)};
}

DistributionMethod read_constrained(JsonReader const& json, DistributionContext const& context) {
  return constrained_of(json, context);
}

DistributionMethod read_shuffled(JsonReader const& json, DistributionContext const& context) {
  ConstrainedOneByOne out = constrained_of(json, context);
  ShuffleOptions options;
  if (auto const threshold = json.find("threshold_s")) options.threshold = threshold->quantity();
  if (auto const smaller = json.find("smaller_tiles")) options.smaller_tiles = smaller->boolean();
  if (auto const rounds = json.find("rounds")) options.rounds = static_cast<int>(rounds->integer());
  out.shuffle = options;
  return out;
}

DistributionMethod read_selected(JsonReader const& json, DistributionContext const& context) {
  constexpr int maximum = 2000;
  if (context.nodes > maximum)
    json.fail(
        fmt::format("is made for {} nodes (it compares maps by their messages; {} are the most). Use \"1d1d-c+s\"",
                    context.nodes, maximum));
  SelectedOneByOne out{.costs = read_costs(json, context)};
  if (auto const simulations = json.find("simulations")) out.simulations = static_cast<int>(simulations->integer());
  return out;
}

DistributionMethod read_het_grid(JsonReader const& json, DistributionContext const& context) {
  Grid const grid = read_grid(json, context.nodes);
  GridMethod const& method = read_method(json, grid);
  return HeterogeneousGrid{.grid = grid,
                           .method = &method,
                           .cycle_times = read_cycle_times(json, context),
                           .panel = read_panel(json, context.nt),
                           .order = read_order(json, context)};
}

DistributionMethod read_kalinov_lastovetsky(JsonReader const& json, DistributionContext const& context) {
  Grid const grid = read_grid(json, context.nodes);
  return KalinovLastovetsky{
      .grid = grid, .speeds = read_speeds(json, context), .panel = read_panel(json, context.nt)};
}

DistributionMethod read_sbc(JsonReader const& json, DistributionContext const& context) {
  auto const given = json.find("variant");
  std::string const variant = given ? given->one_of() : "";
  for (auto const& [kind, name] :
       {std::pair{SbcVariant::extended, "extended"}, {SbcVariant::basic, "basic"}}) {
    auto const r = sbc_size(context.nodes, kind);
    if (r && (variant.empty() || variant == name)) return SymmetricBlockCyclic{.variant = kind, .r = *r};
  }
  json.fail(fmt::format(
      "does not exist for {} nodes (it needs r (r - 1) / 2, \"extended\", or r r / 2 with an even "
      "r, \"basic\"). Use another number of nodes, or \"g-2dbc\"",
      context.nodes));
}

DistributionMethod read_generalised_2dbc(JsonReader const& /*json*/, DistributionContext const& /*context*/) {
  return GeneralisedBlockCyclic{};
}

/// Reads "nodes": the nodes of each layer; without it the nodes are dealt by their types.
std::vector<std::vector<std::uint32_t>> read_layer_nodes(JsonReader const& json,
                                                         DistributionContext const& context,
                                                         std::size_t layers) {
  auto const given = json.find("nodes");
  if (!given) {
    std::vector<std::uint32_t> types = context.node_types;
    types.resize(static_cast<std::size_t>(context.nodes), 0);
    return deal_nodes(types, layers);
  }
  auto const lists = given->elements();
  if (lists.size() != layers)
    given->fail(fmt::format("has {} lists (there are {} layers). Give one a layer", lists.size(), layers));
  std::vector<std::vector<std::uint32_t>> out;
  for (JsonReader const& list : lists) {
    auto& nodes = out.emplace_back();
    for (JsonReader const& node : list.elements())
      nodes.push_back(static_cast<std::uint32_t>(node.integer(0, context.nodes - 1)));
    std::ranges::sort(nodes);
    if (std::ranges::adjacent_find(nodes) != nodes.end())
      list.fail("names a node twice (it would have two parts of the layer). Name it once");
  }
  return out;
}

DistributionMethod read_layers(JsonReader const& json, DistributionContext const& context) {
  if (!context.may_have_layers)
    json.fail(
        "is \"layers\" (they are for the main distribution of lu, cholesky, gemm and syrk, whose tasks are "
        "not split). Use another distribution");
  auto const layers =
      static_cast<std::size_t>(json.at("layers", "the number of layers").integer(1, context.nodes));
  auto nodes = read_layer_nodes(json, context, layers);
  nlohmann::json const by_default = {{"type", "block-cyclic"}};
  auto const given = json.find("layer");
  JsonReader const of_all = given ? *given : JsonReader(by_default, "", json.where());
  if (of_all.is_array() && of_all.elements().size() != layers)
    of_all.fail(fmt::format("has {} distributions (there are {} layers). Give one a layer, or one for all",
                            of_all.elements().size(), layers));
  Layered out;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    DistributionContext of_layer = context;
    of_layer.nodes = static_cast<int>(nodes[layer].size());
    of_layer.may_have_layers = false;
    out.layers.push_back(
        {read_distribution(of_all.is_array() ? of_all.elements()[layer] : of_all, of_layer).main,
         std::move(nodes[layer])});
  }
  if (auto const shares = json.find("shares")) {
    out.shares.emplace();
    for (JsonReader const& share : shares->elements()) out.shares->push_back(share.quantity());
    if (out.shares->size() != layers)
      shares->fail(
          fmt::format("has {} numbers (there are {} layers). Give one a layer", out.shares->size(), layers));
  }
  if (auto const consecutive = json.find("consecutive"))
    out.consecutive = static_cast<int>(consecutive->integer());
  if (auto const panels = json.find("panels"); panels && panels->is_number())
    out.panels = static_cast<std::uint32_t>(panels->integer(0, static_cast<std::int64_t>(layers) - 1));
  else if (panels)
    (void)panels->one_of();
  auto const bandwidth = json.find("addition_Bps");
  out.addition_bandwidth = bandwidth ? bandwidth->quantity() : default_addition_Bps;
  return out;
}

DistributionMethod read_triangle_blocks(JsonReader const& json, DistributionContext const& context) {
  if (auto const plane = plane_of(context.nodes)) return TriangleBlocks{*plane};
  json.fail(
      fmt::format("does not exist for {} nodes (it needs q (q + 1) or q (q + 1) + 1 with a prime q: 6, 7, "
                  "12, 13, 30, 31, 56, 57, ...). Use another number of nodes, or \"sbc\" or \"g-2dbc\"",
                  context.nodes));
}

DistributionMethod read_map_file(JsonReader const& json, DistributionContext const& context) {
  JsonReader const file = json.at("file", "the map's file");
  TileMap map = read_map(file.path());
  if (map.mt != context.nt || map.nt != context.nt)
    file.fail(fmt::format("holds {} x {} tiles (the matrix has {} x {}). Give a map of that size", map.mt,
                          map.nt, context.nt, context.nt));
  for (NodeId const owner : map.owner)
    if (owner.valid() && owner.value() >= static_cast<std::uint32_t>(context.nodes))
      file.fail(fmt::format("names node {} (the platform has {}). Give a map for that many nodes",
                            owner.value() + 1, context.nodes));
  return MapFromFile{.map = std::move(map), .file = file.string()};
}

DistributionMethod read_redistribution(JsonReader const& json, DistributionContext const& context) {
  TileMap from = read_owners(json.at("from", "a map, [nt][nt]"), context.nt, context.nodes);
  return Redistribution{
      .from = std::move(from),
      .target = read_target(json.at("target", "tiles per node"), context.nt, context.nodes)};
}

DistributionMethod read_linear_program(JsonReader const& json, DistributionContext const& context) {
  if (!context.has_generation || !context.has_timings)
    json.fail(
        "needs an application with a generation, and a platform (the linear program balances its two phases "
        "over "
        "the workers). Use the application exageostat, or another distribution");
  LinearProgram out;
  auto const nodes = json.find("factorization");
  if (nodes && nodes->one_of() == "gpu-nodes") out.gpu_nodes_only = nodes->where();
  out.tie = read_tie(json);
  return out;
}

struct Entry {
  char const* name;
  DistributionMethod (*read)(JsonReader const&, DistributionContext const&);
  char const* description;
};
/// The only list of distributions.
constexpr std::array entries{
    Entry{"block-cyclic", read_block_cyclic, "p x q grid of nodes, repeated"},
    Entry{"1d1d", read_one_by_one, "column partition by speed, in one dimension each way (1D-1D)"},
    Entry{"1d1d-c", read_constrained, "1d1d on fewer nodes towards the end, where the critical path limits"},
    Entry{"1d1d-c+s", read_shuffled, "1d1d-c, with tiles moved between sections to balance each"},
    Entry{"1d1d-l", read_selected,
          "1d1d-c+s with the number of nodes, columns and sections that simulations find best"},
    Entry{"het-grid", read_het_grid,
          "grid of nodes of different speeds, rows and columns of different shares"},
    Entry{"kalinov-lastovetsky", read_kalinov_lastovetsky,
          "grid whose columns are divided by the speeds of their nodes"},
    Entry{"sbc", read_sbc,
          "symmetric block-cyclic: least communication of Cholesky, for special numbers of nodes"},
    Entry{"g-2dbc", read_generalised_2dbc, "generalised 2D block-cyclic, for any number of nodes"},
    Entry{"triangle-blocks", read_triangle_blocks,
          "lines of a plane: less communication of Cholesky and SYRK than sbc, for other special numbers of "
          "nodes"},
    Entry{"layers", read_layers,
          "2.5D: layers of nodes, each with a map of its own and part of the iterations"},
    Entry{"file", read_map_file, "a map in a file, as Chameleon reads it"},
    Entry{"redistribute", read_redistribution,
          "a map changed to given numbers of tiles per node, with the fewest moves"},
    Entry{"lp-multiphase", read_linear_program, "shares of generation and factorization by a linear program"},
};

ValueRules distribution_rules() { return {rule::object(distribution_table)}; }

DistributionMethod read_plugin(JsonReader const& json, PluginFile file) {
  auto plugin = std::make_shared<DistributionPlugin const>(std::move(file));
  auto values =
      std::make_shared<PluginValues const>(plugin->keys(), read_plugin_values(json, plugin->keys()));
  plugin->check(*values);
  return PluginDistribution{.plugin = std::move(plugin), .values = std::move(values)};
}

/// Reads "type" and the keys of that distribution.
DistributionMethod read_method(JsonReader const& json, DistributionContext const& context) {
  if (auto file = plugin_file(json)) return read_plugin(json, std::move(*file));
  std::string const type = json.at("type", "the distribution's name").one_of();
  auto const entry =
      std::find_if(entries.begin(), entries.end(), [&](Entry const& e) { return type == e.name; });
  return entry->read(json, context);
}

bool decides_generation(DistributionMethod const& method) {
  return std::holds_alternative<LinearProgram>(method) || std::holds_alternative<Redistribution>(method);
}

/// Reads "generation" of a distribution: another distribution, or {"type": "redistribute", "target"}.
std::optional<GenerationMethod> read_generation(JsonReader const& json, DistributionContext context,
                                                DistributionMethod const& main) {
  auto const generation = json.find("generation");
  if (!generation) return {};
  if (!context.has_generation)
    generation->fail("is for applications that generate their tiles (this one does not). Remove it");
  if (decides_generation(main))
    generation->fail("is decided by the distribution itself (it would be ignored). Remove it");
  if (auto const type = generation->find("type"); type && type->string() == "redistribute") {
    auto target = read_target(generation->at("target", "tiles per node"), context.nt, context.nodes);
    generation->finish();
    return target;
  }
  context.has_generation = false;
  return read_distribution(*generation, context).main;
}

}  // namespace

std::vector<std::string> distribution_names() { return names_of(entries); }

std::vector<DescribedName> described_distributions() { return described(entries); }

DistributionDescription read_distribution(std::optional<JsonReader> const& json,
                                          DistributionContext const& context) {
  nlohmann::json const by_default = {{"type", "block-cyclic"}};
  JsonReader const reader =
      (json ? *json : JsonReader(by_default, "", "/distribution")).by(distribution_rules);
  DistributionDescription out{.main = {read_method(reader, context), reader.where()}};
  out.generation = read_generation(reader, context, out.main.method);
  reader.finish();
  return out;
}

int count_nodes(JsonReader const& given) {
  JsonReader const distribution = given.by(distribution_rules);
  if (auto const target = distribution.find("target")) return static_cast<int>(target->elements().size());
  if (auto const times = distribution.find("cycle_times")) {
    auto const count = times->is_object() ? distribution.at("p", "rows of the grid").integer(1, 1000) *
                                                distribution.at("q", "columns of the grid").integer(1, 1000)
                                          : static_cast<std::int64_t>(listed(*times).size());
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

}  // namespace factosim
