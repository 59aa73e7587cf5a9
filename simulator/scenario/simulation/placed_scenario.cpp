#include "simulator/scenario/simulation/placed_scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "distributions/tiles_sent.hpp"
#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "models/applications/application.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

std::uint64_t messages_of_graph(Placement const& p) {
  TaskGraph graph = p.application->graph(p.parameters, p.distribution.map);
  ExecutionPlan const plan = plan_execution(graph, owners_of_handles(graph, p.distribution), p.nodes);
  return count_messages(graph, plan);
}

nlohmann::ordered_json effective_policy(PlacedScenario const& s) {
  auto const* const replay = std::get_if<TraceApplication>(&s.application);
  if (replay != nullptr && replay->options.prescribes_workers()) return {{"type", "recorded"}};
  return effective_scheduler(s.scheduler, s.schedule.get());
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

nlohmann::ordered_json effective_options(PlacedScenario const& s) {
  nlohmann::ordered_json out = {
      {"platform", effective_platform(s.platform)},
      {"application", std::visit([](auto const& app) { return effective_application(app); }, s.application)},
      {"distribution", s.distribution.description},
      {"scheduler", effective_policy(s)},
      {"runtime", written(s.runtime)},
      {"noise", written(s.noise)},
      {"network", effective_network(s.network, s.platform, s.runtime)},
      {"outputs", written(s.outputs)}};
  if (s.detail.type != Detail::tasks) out["detail"] = written(s.detail);
  return out;
}

std::string program_text(std::string_view version, std::string_view revision, std::string_view simgrid) {
  return fmt::format("factosim {} ({}), SimGrid {}", version, revision, simgrid);
}

std::string this_program() { return program_text(version(), git_revision(), simgrid_version()); }

Result::Provenance provenance_head(ScenarioHead const& s) {
  return {.program = version(),
          .revision = git_revision(),
          .simgrid = std::string(simgrid_version()),
          .scenario = s.file,
          .settings = s.settings,
          .seed = s.seed,
          .platform = s.platform_file.empty() ? std::nullopt : std::optional(s.platform_file)};
}

Result::Provenance provenance(PlacedScenario const& s) {
  if (auto const* const graph = std::get_if<GraphApplication>(&s.application); graph && !graph->program)
    return {
        .program = version(), .revision = git_revision(), .seed = s.seed};  // of a graph that a program made
  nlohmann::ordered_json timings = nlohmann::ordered_json::array();
  for (std::size_t t = 0; t < s.platform.types.size(); ++t) {
    if (std::find(s.platform.nodes.begin(), s.platform.nodes.end(), t) == s.platform.nodes.end()) continue;
    timings.push_back({{"machine", s.models[t].machine},
                       {"file", s.models[t].file},
                       {"estimate", s.models[t].estimate || s.platform.types[t].estimate},
                       {"kernels", s.models[t].provenance},
                       {"machine_description", s.platform.types[t].provenance}});
  }
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (auto const& [name, value] : network_settings(s.network)) settings[name] = value;
  Result::Provenance out = provenance_head(s);
  out.options = effective_options(s);
  out.network_settings = std::move(settings);
  out.timings = std::move(timings);
  if (NetworkSpec const& network = s.platform.network; network.estimate && s.platform.nodes.size() > 1)
    out.network = {{"estimate", true}, {"description", network.provenance}};
  return out;
}

}  // namespace factosim
