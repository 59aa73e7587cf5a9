#include "simulator/scenario/simulation/place.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/layered_flow.hpp"
#include "platforms/memory_nodes.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

/// The trace's platform with fitted links and the overrides of the scenario. Adds what is assumed to
/// `findings`.
Platform fitted_platform(TraceApplication const& app, TaskScenario const& s, std::vector<Finding>& findings) {
  Platform platform = trace_platform(*app.trace, s.cluster.runtime, findings);
  for (NodeType& type : platform.types) keep_gpus(type, static_cast<std::size_t>(s.cluster.runtime.max_gpus));
  set_memories(platform, s.cluster.runtime);
  return with_overrides(std::move(platform), s.overrides);
}

/// Gives the cores of a machine without timings of additions an estimate of them: three tiles at that bandwidth, in bytes/s.
void estimate_additions(KernelModel& model, ApplicationParameters const& p, double bandwidth) {
  bool estimated = false;
  for (Precision const precision : sum_precisions(p)) {
    if (!model.tile_sizes_text(addition_kernel, "", precision).empty()) continue;
    model.timings.push_back({.kernel = addition_kernel,
                             .precision = precision,
                             .worker = "cpu",
                             .rate = {.flops_per_second = bandwidth / (3 * element_bytes(precision))},
                             .findings = {model.findings.size()}});
    estimated = true;
  }
  if (!estimated) return;
  model.findings.push_back(
      fmt::format("ESTIMATE: additions of partial sums (tile_add) are not timed, a core is assumed to move "
                  "{:.3g} GB/s (distribution/addition_Bps)",
                  bandwidth / 1e9));
  model.estimate = true;
}

/// Makes the map of a scenario.
Distribution map_of(DistributionDescription const& description, PlacedScenario const& s,
                    SizeLimit const& limit) {
  std::set<std::uint32_t> const types(s.platform.nodes.begin(), s.platform.nodes.end());
  check_arrangement(description, types.size(), limit);
  DistributionRequest request = distribution_request(s);
  if (request.timed) request.judge = simulated_judge(s);
  return make_distribution(description, request);
}

/// Reads a scenario without a platform.
Placement placement_without_platform(JsonReader const& json, SizeLimit const& limit) {
  json.check_own_format("factosim-scenario", 1);
  refuse_removed(json);
  for (char const* key : {"name", "seed", "scheduler", "runtime", "noise", "network", "outputs"})
    (void)json.find(key);  // without effect on the map
  auto const application_key = json.at("application", "what is computed");
  auto const distribution = json.at("distribution", "with \"speeds\", since there is no platform");
  json.finish();
  Placement out;
  TiledApplication const tiled = read_application(application_key);
  Application const& app = *tiled.definition;
  out.application = &app;
  out.parameters = tiled.parameters;
  int const nodes = count_nodes(distribution);
  out.nodes = static_cast<std::size_t>(nodes);
  bool const generates = app.generates_tiles;
  DistributionDescription const description = read_distribution(
      distribution,
      {.nt = out.parameters.nt, .nodes = nodes, .is_product = app.is_product, .has_generation = generates});
  check_arrangement(description, out.nodes, limit);
  out.distribution = make_distribution(description, {.nt = out.parameters.nt,
                                                     .nodes = nodes,
                                                     .factorization = app.factorization(),
                                                     .update_flops = app.update_flops(out.parameters),
                                                     .has_generation = generates});
  return out;
}

}  // namespace

PlacedScenario place(Scenario scenario, SizeLimit const& limit) {
  if (auto const* const s = std::get_if<ExperimentScenario>(&scenario.application))
    refuse_experiment(scenario, s->type);
  auto& tasks = std::get<TaskScenario>(scenario.application);
  if (auto const* const replay = std::get_if<TraceApplication>(&tasks.application)) {
    if (tasks.cluster.runtime.workers_per_gpu > 1)
      throw InputError(scenario.file + "#/runtime/workers_per_gpu",
                       "is above 1 (the trace has the durations that its own workers had on the GPUs). "
                       "Replay with one worker a GPU");
    if (replay->own_platform) tasks.cluster.platform = fitted_platform(*replay, tasks, scenario.findings);
  }
  PlacedScenario out{scenario, std::move(tasks.cluster), std::move(tasks.application), {}};
  if (tasks.distribution) out.distribution = map_of(*tasks.distribution, out, limit);
  if (out.distribution.layers)
    for (KernelModel& model : out.models)
      estimate_additions(model, std::get<TiledApplication>(out.application).parameters,
                         out.distribution.layers->addition_bandwidth);
  return out;
}

Placement placement_of_document(nlohmann::json const& document, std::string const& file,
                                SizeLimit const& limit) {
  Placement out = document.is_object() && !document.contains("platform")
                      ? placement_without_platform(JsonReader(without_bare_names(document), file), limit)
                      : placement_of(place(scenario_of(document, file), limit), "this command");
  if (out.counts_in_graph()) check_size(*out.application, out.parameters, limit, file);
  return out;
}

Placement read_placement(std::filesystem::path const& file, std::vector<std::string> const& settings,
                         SizeLimit const& limit) {
  nlohmann::json document = parse_json_file(file);
  (void)set_keys(document, settings);
  return placement_of_document(document, file.string(), limit);
}

namespace {

PlacedScenario without_simgrid(PlacedScenario scenario) {
  if (scenario.network.model == NetworkModel::simgrid) scenario.network.model = NetworkModel::maxmin;
  return scenario;
}

/// Returns the scenario with that map, as far as it does not depend on the run: without noise, seed, estimates, and
/// a schedule of other tasks.
PlacedScenario judged_scenario(PlacedScenario scenario, TileMap const& map) {
  ApplicationParameters& parameters = std::get<TiledApplication>(scenario.application).parameters;
  if (parameters.nt != map.nt) parameters.n.reset(), parameters.formats.reset();
  parameters.nt = map.nt;
  parameters.iterations = {};
  if (std::exchange(scenario.schedule, nullptr)) scenario.scheduler = {};
  scenario.seed = 0;
  scenario.noise = {};
  scenario.detail = {};
  scenario.distribution = {.map = map, .description = {}};
  return scenario;
}

}  // namespace

MapSimulator::MapSimulator(PlacedScenario scenario)
    : plan_(plan_tasks(without_simgrid(std::move(scenario)))) {}

Seconds MapSimulator::makespan(TileMap const& map) {
  re_place(plan_, map);
  return simulate_with_seed(plan_, plan_.scenario.seed, nullptr, {}).makespan;
}

Judge simulated_judge(PlacedScenario const& scenario) {
  auto const simulators = std::make_shared<std::map<int, MapSimulator>>();  // by tiles in a row
  return [&scenario, simulators](TileMap const& map) -> std::optional<Seconds> {
    try {
      auto const known = simulators->find(map.nt);
      MapSimulator& simulator =
          known != simulators->end()
              ? known->second
              : simulators->try_emplace(map.nt, judged_scenario(scenario, map)).first->second;
      return simulator.makespan(map);
    } catch (InfeasibleError const&) {
      return std::nullopt;
    }
  };
}

}  // namespace factosim
