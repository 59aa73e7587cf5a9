#include "simulator/scenario/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "distributions/block_cyclic.hpp"
#include "distributions/column_partition.hpp"
#include "distributions/constrained.hpp"
#include "distributions/generalised_2dbc.hpp"
#include "distributions/kalinov_lastovetsky.hpp"
#include "distributions/map_file.hpp"
#include "distributions/nagamochi_abe.hpp"
#include "distributions/one_by_one.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "simulator/core/named_values.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/scenario/het_grid_reader.hpp"
#include "simulator/scenario/multiphase.hpp"

namespace factosim {

namespace {

Distribution from_block_cyclic(JsonReader const& json, DistributionRequest const& request) {
  Grid const grid = read_grid(json, request.nodes);
  return {.map = block_cyclic(request.nt, request.nt, grid),
          .description = fmt::format("block-cyclic {} x {}", grid.p, grid.q)};
}

Distribution from_file(JsonReader const& json, DistributionRequest const& request) {
  JsonReader const file = json.at("file", "the map's file");
  TileMap map = read_map(file.path());
  if (map.mt != request.nt || map.nt != request.nt)
    file.fail(fmt::format("holds {} x {} tiles (the matrix has {} x {}). Give a map of that size", map.mt,
                          map.nt, request.nt, request.nt));
  for (NodeId const owner : map.owner)
    if (owner.valid() && owner.value() >= static_cast<std::uint32_t>(request.nodes))
      file.fail(fmt::format("names node {} (the platform has {}). Give a map for that many nodes",
                            owner.value() + 1, request.nodes));
  return {.map = std::move(map), .description = fmt::format("map {}", file.string())};
}

/// Partitions take the square of the number of nodes: as many as take seconds.
std::vector<double> read_few_speeds(JsonReader const& json, DistributionRequest const& request) {
  constexpr int maximum = 20'000;
  if (request.nodes > maximum)
    json.fail(
        fmt::format("is made for {} nodes (its time grows with their square; {} are the most). Use "
                    "\"block-cyclic\" or \"g-2dbc\"",
                    request.nodes, maximum));
  return read_speeds(json, request);
}

Distribution from_partition(std::string description, SquarePartition partition,
                            std::vector<double> const& speeds) {
  Distribution out{.map = {}, .description = std::move(description)};
  out.partition = std::move(partition);
  out.partition_lower_bound = partition_lower_bound(speeds);
  return out;
}

Distribution from_one_by_one(JsonReader const& json, DistributionRequest const& request) {
  std::vector<double> const speeds = read_few_speeds(json, request);
  auto const partition = json.find("partition");
  bool const columns = !partition || partition->one_of({"columns", "nagamochi-abe"}) == "columns";
  Distribution out = columns ? from_partition("1Dx1D", column_partition(speeds), speeds)
                             : from_partition("1Dx1D of Nagamochi and Abe", nagamochi_abe(speeds), speeds);
  out.map = one_by_one(request.nt, request.nt, *out.partition, read_tie(json));
  return out;
}

Distribution from_constrained(JsonReader const& json, DistributionRequest const& request,
                              FactorizationCosts const& costs) {
  std::vector<double> const speeds = read_few_speeds(json, request);
  Distribution out = from_partition("1Dx1D-C", column_partition(speeds), speeds);
  ConstrainedMap made = constrained(request.nt, request.factorization, *out.partition, costs, read_tie(json));
  out.map = std::move(made.map);
  out.sections = std::move(made.sections);
  return out;
}

Distribution from_constrained(JsonReader const& json, DistributionRequest const& request) {
  return from_constrained(json, request, read_costs(json, request));
}

Distribution from_shuffled(JsonReader const& json, DistributionRequest const& request) {
  FactorizationCosts const costs = read_costs(json, request);
  Distribution out = from_constrained(json, request, costs);
  out.description = "1Dx1D-C+S";
  ShuffleOptions options;
  if (auto const threshold = json.find("threshold_s")) options.threshold = threshold->positive();
  if (auto const smaller = json.find("smaller_tiles")) options.smaller_tiles = smaller->boolean();
  if (auto const rounds = json.find("rounds")) options.rounds = static_cast<int>(rounds->integer(0, 1000));
  out.moves = shuffle(out.map, request.factorization, costs, out.sections, options);
  return out;
}

Distribution from_kalinov_lastovetsky(JsonReader const& json, DistributionRequest const& request) {
  Grid const grid = read_grid(json, request.nodes);
  std::vector<double> const speeds = read_speeds(json, request);
  return {.map = kalinov_lastovetsky(request.nt, request.nt, grid, speeds, read_panel(json, request.nt)),
          .description = fmt::format("Kalinov-Lastovetsky {} x {}", grid.p, grid.q)};
}

Distribution from_sbc(JsonReader const& json, DistributionRequest const& request) {
  auto const given = json.find("variant");
  std::string const variant = given ? given->one_of({"basic", "extended"}) : "";
  for (auto const& [kind, name] :
       {std::pair{SbcVariant::extended, "extended"}, {SbcVariant::basic, "basic"}}) {
    auto const r = sbc_size(request.nodes, kind);
    if (r && (variant.empty() || variant == name))
      return {.map = symmetric_block_cyclic(request.nt, *r, kind),
              .description = fmt::format("symmetric block-cyclic, {}, r = {}", name, *r)};
  }
  json.fail(fmt::format(
      "does not exist for {} nodes (it needs r (r - 1) / 2, \"extended\", or r r / 2 with an even "
      "r, \"basic\"). Use another number of nodes, or \"g-2dbc\"",
      request.nodes));
}

Distribution from_generalised_2dbc(JsonReader const& /*json*/, DistributionRequest const& request) {
  return {.map = generalised_2dbc(request.nt, request.nt, request.nodes),
          .description = fmt::format("generalised block-cyclic of {} nodes", request.nodes)};
}

struct Entry {
  char const* name;
  Distribution (*read)(JsonReader const&, DistributionRequest const&);
};
/// The one place that knows which distributions exist.
constexpr std::array entries{
    Entry{"block-cyclic", from_block_cyclic},
    Entry{"1d1d", from_one_by_one},
    Entry{"1d1d-c", from_constrained},
    Entry{"1d1d-c+s", from_shuffled},
    Entry{"het-grid", from_het_grid},
    Entry{"kalinov-lastovetsky", from_kalinov_lastovetsky},
    Entry{"sbc", from_sbc},
    Entry{"g-2dbc", from_generalised_2dbc},
    Entry{"file", from_file},
    Entry{"redistribute", from_redistribution},
    Entry{"lp-multiphase", from_linear_program},
};

}  // namespace

std::vector<std::string> distribution_names() { return names_of(entries); }

Distribution read_distribution(std::optional<JsonReader> const& json, DistributionRequest const& request) {
  nlohmann::json const by_default = {{"type", "block-cyclic"}};
  JsonReader const reader = json ? *json : JsonReader(by_default, "", "/distribution");
  std::string const type = reader.at("type", "the distribution's name").one_of(distribution_names());
  auto const entry =
      std::find_if(entries.begin(), entries.end(), [&](Entry const& e) { return type == e.name; });
  Distribution out = entry->read(reader, request);
  read_generation(reader, request, out);
  reader.finish();
  return out;
}

nlohmann::ordered_json distribution_json(Distribution const& d) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (d.partition) {
    nlohmann::ordered_json rectangles = nlohmann::ordered_json::array();
    for (auto const& r : d.partition->rectangles) rectangles.push_back({r.left, r.top, r.width, r.height});
    out["partition"] = {{"columns", d.partition->columns},
                        {"cost", d.partition->cost()},
                        {"lower_bound", d.partition_lower_bound},
                        {"rectangles", rectangles}};
  }
  for (Section const& s : d.sections)
    out["sections"].push_back({{"first_k", s.first_k}, {"last_k", s.last_k}, {"nodes", s.nodes}});
  if (d.grid) out["grid"] = grid_json(*d.grid);
  add_multiphase_json(d, out);
  if (!d.moves.empty()) {
    nlohmann::ordered_json moves = nlohmann::ordered_json::array();
    for (TileMove const& move : d.moves)
      moves.push_back({{"m", move.m}, {"n", move.n}, {"from", move.from.value()}, {"to", move.to.value()}});
    out["moves"] = moves;
  }
  return out;
}

}  // namespace factosim
