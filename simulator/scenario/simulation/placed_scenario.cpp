#include "simulator/scenario/simulation/placed_scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

#include "distributions/redistribution.hpp"
#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/scenario/placement/timed_application.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

std::uint64_t messages_of_graph(Placement const& p) {
  TaskGraph graph = p.application->graph(p.parameters, p.distribution.map);
  ExecutionPlan const plan = plan_execution(graph, owners_of_handles(graph, p.distribution), p.nodes);
  return count_messages(graph, plan);
}

}  // namespace

std::vector<std::uint64_t> tiles_per_node(Placement const& p) {
  TileMap const& map = p.distribution.map;
  if (p.application->lower_only) return lower_tiles_per_node(map, p.nodes);
  std::vector<std::uint64_t> tiles(p.nodes, 0);
  for (NodeId const owner : map.owner) ++tiles[owner.index()];
  return tiles;
}

std::uint64_t tiles_sent(Placement const& p) {
  return p.counts_in_graph() ? messages_of_graph(p)
                             : p.application->tiles_sent(p.parameters, p.distribution.map);
}

void refuse_experiment(ScenarioHead const& head, std::string_view type) {
  throw InputError(
      head.file + "#/application/type",
      fmt::format("is \"{}\" (this command works on a graph of tasks). Use `factosim run` or a sweep, or {}",
                  type, fmt::join(application_names(), ", ")));
}

TiledApplication const& tiled_application(PlacedScenario const& s, std::string_view command) {
  if (auto const* const tiled = std::get_if<TiledApplication>(&s.application)) return *tiled;
  throw InputError(s.file + "#/application/type",
                   fmt::format("is \"{}\" ({} works on the tiles of a factorization). Use {}",
                               std::holds_alternative<TraceApplication>(s.application) ? "trace" : "graph",
                               command, "\"lu\" or \"cholesky\", or `factosim run`"));
}

TimedApplication timed_application(PlacedScenario const& s) {
  auto const& tiled = std::get<TiledApplication>(s.application);
  return {.platform = s.platform,
          .models = s.models,
          .application = *tiled.definition,
          .parameters = tiled.parameters,
          .runtime = s.runtime};
}

DistributionRequest distribution_request(PlacedScenario const& s) {
  auto const nodes = static_cast<int>(s.platform.nodes.size());
  if (auto const* const replay = std::get_if<TraceApplication>(&s.application))
    return {.nt = matrix_tiles(*replay->trace), .nodes = nodes, .update_flops = Flops{1}};
  if (auto const* const graph = std::get_if<GraphApplication>(&s.application))
    return {.nt = matrix_tiles(graph->program->graph), .nodes = nodes, .update_flops = Flops{1}};
  TimedApplication const timed = timed_application(s);
  return {.nt = timed.parameters.nt,
          .nodes = nodes,
          .factorization = timed.application.factorization(),
          .update_flops = timed.application.update_flops(timed.parameters),
          .has_generation = timed.application.generates_tiles,
          .timed = timed};
}

Distribution distribution_of(nlohmann::json const& document, PlacedScenario const& s) {
  DistributionRequest const request = distribution_request(s);
  Application const* const app = request.timed ? &request.timed->application : nullptr;
  return make_distribution(read_distribution(JsonReader(document, s.file, "/distribution"),
                                             {.nt = request.nt,
                                              .nodes = request.nodes,
                                              .is_product = app != nullptr && app->is_product,
                                              .has_timings = app != nullptr,
                                              .may_have_layers = app != nullptr && app->may_have_layers}),
                           request);
}

Placement placement_of(PlacedScenario const& s, std::string_view command) {
  TiledApplication const& app = tiled_application(s, command);
  Placement out{.application = app.definition,
                .parameters = app.parameters,
                .nodes = s.platform.nodes.size(),
                .distribution = s.distribution};
  for (std::uint32_t const type : s.platform.nodes) out.node_types.push_back(s.platform.types[type].name);
  return out;
}

}  // namespace factosim
