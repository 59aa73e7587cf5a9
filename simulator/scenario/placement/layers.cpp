#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "distributions/layered.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

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

/// Returns "2 layers: block-cyclic 2 x 3", or all descriptions if they differ.
std::string description_of(std::vector<LayerOfNodes> const& layers) {
  std::string out;
  for (LayerOfNodes const& layer : layers)
    if (std::string const& text = layer.distribution.description;
        out.empty() || text != layers.front().distribution.description)
      out += (out.empty() ? "" : ", ") + text;
  return fmt::format("{} {}: {}", layers.size(), layers.size() == 1 ? "layer" : "layers", out);
}

/// The distribution of one layer among its nodes.
struct Layer {
  DistributionMethod method;
  std::vector<std::uint32_t> nodes;  // ascending
};

std::vector<Layer> read_layers(JsonReader const& json, DistributionContext const& context) {
  auto const layers =
      static_cast<std::size_t>(json.at("layers", "the number of layers").integer(1, context.nodes));
  auto nodes = read_layer_nodes(json, context, layers);
  nlohmann::json const by_default = {{"type", "block-cyclic"}};
  auto const given = json.find("layer");
  JsonReader const of_all = given ? *given : JsonReader(by_default, "", json.where());
  if (of_all.is_array() && of_all.elements().size() != layers)
    of_all.fail(fmt::format("has {} distributions (there are {} layers). Give one a layer, or one for all",
                            of_all.elements().size(), layers));
  std::vector<Layer> out;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    DistributionContext of_layer = context;
    of_layer.nodes = static_cast<int>(nodes[layer].size());
    of_layer.may_have_layers = false;
    out.push_back({read_distribution(of_all.is_array() ? of_all.elements()[layer] : of_all, of_layer).main,
                   std::move(nodes[layer])});
  }
  return out;
}

/// Layers as a scenario gives them.
struct GivenLayers {
  std::vector<Layer> layers;
  std::optional<std::vector<double>> shares{};  // [layers] of the iterations; none: by the rates of the nodes
  int consecutive = 1;                          // iterations in a row on one layer
  std::optional<std::uint32_t> panels{};        // the layer of all panels; none: that of the iteration
  double addition_bandwidth = default_addition_Bps;
};

/// A map of the whole matrix for each layer of nodes, see `layered`.
Distribution make_layers(GivenLayers const& given, DistributionRequest const& request) {
  LayerDetails details{
      .layers = {}, .consecutive = given.consecutive, .addition_bandwidth = given.addition_bandwidth};
  std::vector<TileMap> maps;
  std::vector<double> shares;
  for (Layer const& layer : given.layers) {
    DistributionRequest of_layer = request;
    of_layer.nodes = static_cast<int>(layer.nodes.size());
    of_layer.among = layer.nodes;
    details.layers.push_back({.nodes = layer.nodes, .distribution = layer.method.make(of_layer)});
    LayerOfNodes& out = details.layers.back();
    out.share = given.shares ? (*given.shares)[maps.size()] : request.timed ? total_speed(of_layer) : 1;
    shares.push_back(out.share);
    maps.push_back(out.distribution.map);
    for (NodeId& owner : maps.back().owner)
      if (owner.valid()) owner = NodeId{layer.nodes[owner.index()]};
  }
  std::string description = description_of(details.layers);
  return {.map = layered(std::move(maps), shares, details.consecutive, given.panels),
          .description = std::move(description),
          .layers = std::make_shared<LayerDetails const>(std::move(details))};
}

void check_shares(JsonReader const& json, GivenLayers const& given) {
  if (given.shares->size() != given.layers.size())
    json.fail(fmt::format("has {} numbers (there are {} layers). Give one a layer", given.shares->size(),
                          given.layers.size()));
}

void read_panels(JsonReader const& json, GivenLayers& given) {
  if (json.is_number())
    given.panels =
        static_cast<std::uint32_t>(json.integer(0, static_cast<std::int64_t>(given.layers.size()) - 1));
  else
    (void)json.one_of();
}

/// The keys besides those of the layers and their nodes.
Fields<GivenLayers> layers_fields() {
  using O = GivenLayers;
  return {field<&O::shares>(
              "shares", {positive_numbers("")}, "parts of the iterations, one number a layer",
              {.default_text = "total rates of the layers' nodes on the update", .check = check_shares}),
          field<&O::consecutive>("consecutive", {rule::integer(1, max_distributed_tiles, "iterations")},
                                 "iterations in a row on one layer"),
          field<O>("panels", {rule::word({"own"}), rule::integer(0, 999)},
                   "layer of the panels: that of the iteration (`own`), or the number of one layer for all",
                   {.default_value = "own", .read = read_panels}),
          field<&O::addition_bandwidth>(
              "addition_Bps", {rule::positive("B/s")},
              "bytes that a core reads and writes while it adds two tiles, where the machine has no "
              "timing of `tile_add`; an estimate")};
}

DistributionMethod read_layered(JsonReader const& json, DistributionContext const& context) {
  if (!context.may_have_layers)
    json.fail(
        "is \"layers\" (they are for the main distribution of lu, cholesky, gemm and syrk, whose tasks are "
        "not split). Use another distribution");
  GivenLayers out{.layers = read_layers(json, context)};
  read_fields(json, layers_fields(), out);
  return {.map = [given = std::move(out)](
                     DistributionRequest const& request) { return make_layers(given, request); },
          .has_layers = true};
}

std::vector<Key> layers_keys() {
  return {stated_key("layers", {rule::integer(1, 1000, "layers")}, "number of layers", {.required = true}),
          stated_key("layer", {rule::object(layer_table), rule::array({rule::object(layer_table)}, 1)},
                     "distribution of each layer among its nodes: one for all, or one a layer; lists of "
                     "numbers are by the nodes of the layer",
                     {.default_text = "block-cyclic on the most square grid"}),
          stated_key("nodes", {rule::array({rule::array({rule::integer(0, max_nodes - 1)}, 1)}, 1)},
                     "node numbers of each layer",
                     {.default_text = "the nodes of each type are dealt to the layers in turn"})};
}

}  // namespace

DistributionKind layers_kind() {
  return {.name = "layers",
          .description = "2.5D: layers of nodes, each with a map of its own and part of the iterations",
          .meaning =
              "2.5D: layers of nodes compute the updates of different iterations, in partial sums that are "
              "added up before the panel of a tile.",
          .keys = joined(layers_keys(), keys_of(layers_fields())),
          .read = read_layered,
          .source = "Euro-Par 2011, SC 2022",
          .of_whole = true};
}

}  // namespace factosim
