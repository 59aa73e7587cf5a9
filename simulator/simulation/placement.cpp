#include "simulator/simulation/placement.hpp"

#include "distributions/redistribution.hpp"
#include "simulator/plan/plan_execution.hpp"
#include "simulator/scenario/application_keys.hpp"
#include "simulator/scenario/het_grid_reader.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

namespace {

/// As the graph implies.
std::uint64_t messages_of_graph(Placement const& p) {
  TaskGraph graph = p.application->graph(p.parameters, p.distribution.map);
  std::vector<NodeId> owner;
  for (HandleInfo const& handle : graph.handles) owner.push_back(p.distribution.map.at(handle.m, handle.n));
  ExecutionPlan const plan = plan_execution(graph, owner, p.nodes);
  return count_messages(graph, plan);
}

/// As many nodes as the distribution has speeds, cycle-times or targets.
int count_nodes(JsonReader const& distribution) {
  if (auto const target = distribution.find("target")) return static_cast<int>(target->elements().size());
  if (auto const count = cycle_time_count(distribution); count && *count > 0) return *count;
  JsonReader const speeds = distribution.at("speeds", "one number a node, since there is no platform");
  std::size_t const count = speeds.elements().size();
  if (count == 0) speeds.fail("is empty (there would be no node). Give one number a node");
  return static_cast<int>(count);
}

Scenario factorization_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  Scenario scenario = read_scenario(file, settings);
  require_factorization(scenario, "this command");
  return scenario;
}

/// Only these count their messages in their graph.
bool needs_graph(Placement const& p) { return p.application->tiles_sent == nullptr; }

}  // namespace

Placement placement_of(Scenario&& s) {
  Placement out{.application = s.application,
                .parameters = s.parameters,
                .nodes = s.platform.nodes.size(),
                .distribution = std::move(s.distribution),
                .node_types = {}};
  for (std::uint32_t const type : s.platform.nodes) out.node_types.push_back(s.platform.types[type].name);
  return out;
}

namespace {

Placement read_whole_or_alone(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  nlohmann::json document = parse_json_file(file);
  apply_settings(document, settings);
  if (!document.is_object() || document.contains("platform"))
    return placement_of(factorization_scenario(file, settings));
  JsonReader const json(document, file.string());
  json.check_format("factosim-scenario", 1);
  for (char const* key : {"name", "seed", "scheduler", "runtime", "noise", "network", "outputs"})
    (void)json.find(key);  // say nothing about who owns what
  auto const application_key = json.at("application", "what is computed");
  auto const distribution = json.at("distribution", "with \"speeds\", since there is no platform");
  json.finish();
  Placement out;
  std::tie(out.application, out.parameters) = read_application(application_key);
  Application const& app = *out.application;
  int const nodes = count_nodes(distribution);
  out.nodes = static_cast<std::size_t>(nodes);
  out.distribution = read_distribution(distribution, {.nt = out.parameters.nt,
                                                      .nodes = nodes,
                                                      .factorization = app.factorization(),
                                                      .update_flops = app.update_flops(out.parameters),
                                                      .is_product = app.is_product,
                                                      .phase_steps = app.phase_steps,
                                                      .costs = {}});
  return out;
}

}  // namespace

Placement read_placement(std::filesystem::path const& file, std::vector<std::string> const& settings,
                         SizeLimit const& limit) {
  Placement out = read_whole_or_alone(file, settings);
  if (needs_graph(out)) check_size(*out.application, out.parameters, limit, file.string());
  return out;
}

std::vector<std::uint64_t> tiles_per_node(Placement const& p) {
  TileMap const& map = p.distribution.map;
  if (p.application->lower_only) return lower_tiles_per_node(map, p.nodes);
  std::vector<std::uint64_t> tiles(p.nodes, 0);
  for (NodeId const owner : map.owner) ++tiles[owner.index()];
  return tiles;
}

std::uint64_t tiles_sent(Placement const& p) {
  return needs_graph(p) ? messages_of_graph(p) : p.application->tiles_sent(p.parameters, p.distribution.map);
}

}  // namespace factosim
