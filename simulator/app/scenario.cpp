#include "simulator/app/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "distributions/block_cyclic.hpp"
#include "distributions/map_file.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/gpu_subset.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/app/option_readers.hpp"
#include "simulator/app/settings.hpp"
#include "simulator/core/error.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

namespace {

/// Relative paths in a file start from that file's folder.
std::filesystem::path resolved(std::string const& path, std::string const& from_file) {
  std::filesystem::path const p(path);
  return p.is_absolute() ? p : (std::filesystem::path(from_file).parent_path() / p).lexically_normal();
}

Platform read_platform_key(JsonReader const& json) {
  if (json.is_string()) return read_platform(resolved(json.string(), json.file()));
  auto const file = resolved(json.at("file", "the platform's file").string(), json.file());
  auto const nodes = json.find("nodes");
  json.finish();
  return nodes ? read_platform(file, *nodes) : read_platform(file);
}

std::vector<KernelModel> read_models(Platform const& platform) {
  std::vector<KernelModel> models;
  for (NodeType const& type : platform.types) models.push_back(read_kernel_model(type.kernels_file));
  return models;
}

void read_application(JsonReader const& json, Scenario& scenario) {
  scenario.application = json.at("type", fmt::format("one of: {}", fmt::join(application_names(), ", ")))
                             .one_of(application_names());
  ApplicationParameters& p = scenario.parameters;
  p.nt = static_cast<int>(json.at("nt", "the number of tiles in a row").integer(1, 5000));
  p.nb = static_cast<int>(json.at("nb", "the size of a tile").integer(1, 1'000'000));
  if (auto const precision = json.find("precision"))
    p.precision =
        precision->one_of({"double", "single"}) == "double" ? Precision::double_ : Precision::single_;
  if (auto const variant = json.find("variant"))
    p.variant = variant->one_of(application(scenario.application).variants);
  json.finish();
}

TileMap read_map_file(JsonReader const& file, int nt, int nodes) {
  TileMap const map = read_map(resolved(file.string(), file.file()));
  if (map.mt != nt || map.nt != nt)
    file.fail(fmt::format("holds {} x {} tiles (the matrix has {} x {}). Give a map of that size", map.mt,
                          map.nt, nt, nt));
  for (NodeId const owner : map.owner)
    if (owner.valid() && owner.value() >= static_cast<std::uint32_t>(nodes))
      file.fail(fmt::format("names node {} (the platform has {}). Give a map for that many nodes",
                            owner.value() + 1, nodes));
  return map;
}

void read_distribution(std::optional<JsonReader> const& json, Scenario& scenario) {
  int const nodes = static_cast<int>(scenario.platform.nodes.size());
  int const nt = scenario.parameters.nt;
  Grid grid = most_square_grid(nodes);
  if (json) {
    std::string const type = json->at("type", "the distribution's name").one_of({"block-cyclic", "file"});
    if (type == "file") {
      JsonReader const file = json->at("file", "the map's file");
      json->finish();
      scenario.map = read_map_file(file, nt, nodes);
      scenario.distribution = fmt::format("map {}", file.string());
      return;
    }
    auto const p = json->find("p");
    auto const q = json->find("q");
    json->finish();
    if (p.has_value() != q.has_value())
      json->fail("has one of \"p\" and \"q\" (a grid needs both). Give both or none");
    if (p) grid = {static_cast<int>(p->integer(1, nodes)), static_cast<int>(q->integer(1, nodes))};
    if (p && grid.p * grid.q > nodes)
      json->fail(fmt::format("is a grid of {} x {} (the platform has {} nodes). Give p x q <= {}", grid.p,
                             grid.q, nodes, nodes));
  }
  scenario.map = block_cyclic(nt, nt, grid);
  scenario.distribution = fmt::format("block-cyclic {} x {}", grid.p, grid.q);
}

}  // namespace

namespace {

nlohmann::ordered_json platform_in_force(Platform const& platform) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const type : platform.nodes) {  // runs of one type as one entry
    if (nodes.empty() || nodes.back()["type"] != platform.types[type].name)
      nodes.push_back({{"type", platform.types[type].name}, {"count", 0}});
    nodes.back()["count"] = nodes.back()["count"].get<int>() + 1;
  }
  return {{"nodes", nodes}};
}

nlohmann::ordered_json options_in_force(Scenario const& s) {
  return {{"platform", platform_in_force(s.platform)},
          {"application",
           {{"type", s.application},
            {"nt", s.parameters.nt},
            {"nb", s.parameters.nb},
            {"precision", name_of(s.parameters.precision)},
            {"variant", s.parameters.variant}}},
          {"distribution", s.distribution},
          {"scheduler", scheduler_in_force(s.scheduler)},
          {"runtime", runtime_in_force(s.runtime)},
          {"noise", noise_in_force(s.noise)},
          {"network", network_in_force(s.network, s.platform, s.runtime)},
          {"outputs", {{"paje", s.outputs.paje}}}};
}

}  // namespace

Scenario read_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  nlohmann::json document = parse_json_file(file);
  apply_settings(document, settings);
  JsonReader const json(document, file.string());
  json.check_format("factosim-scenario", 1);

  Scenario s;
  s.file = file.string();
  if (auto const name = json.find("name")) s.name = name->string();
  if (auto const seed = json.find("seed")) s.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
  auto const platform = json.at("platform", "a path, or an object with \"file\" and \"nodes\"");
  auto const application = json.at("application", "what is computed");
  auto const distribution = json.find("distribution");
  auto const scheduler = json.find("scheduler");
  auto const runtime = json.find("runtime");
  auto const noise = json.find("noise");
  auto const network = json.find("network");
  auto const outputs = json.find("outputs");
  json.finish();

  s.platform = read_platform_key(platform);
  s.models = read_models(s.platform);
  read_application(application, s);
  read_distribution(distribution, s);
  if (scheduler) s.scheduler = read_scheduler(*scheduler);
  s.scheduler.seed = s.seed;
  if (runtime) s.runtime = read_runtime(*runtime);
  if (noise) s.noise = read_noise(*noise);
  s.noise.seed = s.seed;
  for (NodeType& type : s.platform.types) keep_gpus(type, static_cast<std::size_t>(s.runtime.max_gpus));
  NetworkOverrides const overrides = network ? read_network(*network) : NetworkOverrides{};
  apply(overrides, s.platform, s.runtime);
  s.network = {.model = overrides.model, .lazy = overrides.lazy};
  if (outputs) {
    if (auto const paje = outputs->find("paje")) s.outputs.paje = paje->boolean();
    outputs->finish();
  }
  s.in_force = options_in_force(s);
  return s;
}

}  // namespace factosim
