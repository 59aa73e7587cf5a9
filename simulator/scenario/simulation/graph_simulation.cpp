#include "factosim/graph_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"

namespace factosim {

namespace {

void check_size(char const* array, std::size_t size, std::size_t expected, char const* of) {
  if (size != expected)
    throw InputError(fmt::format("GraphSimulation#/{}", array),
                     fmt::format("has {} entries (there are {} {}). Give one for each", size, expected, of));
}

void check_arrays(GraphSimulation const& g) {
  check_size("owners", g.owners.size(), g.graph.handles.size(), "handles");
  check_size("kernels", g.kernels.size(), g.platform.types.size(), "types of nodes");
  if (!g.nodes.empty()) check_size("nodes", g.nodes.size(), g.graph.task_count(), "tasks");
  if (!g.graph.weights.empty())
    check_size("graph/weights", g.graph.weights.size(), g.graph.task_count(), "tasks");
  for (TaskWeight const weight : g.graph.weights)
    if (!(weight.core > 0) || !(weight.gpu > 0))
      throw InputError("GraphSimulation#/graph/weights",
                       "hold a factor that is not above 0. Give positive factors");
  for (auto const& [array, nodes] : {std::pair{"nodes", &g.nodes}, std::pair{"owners", &g.owners}})
    for (NodeId const node : *nodes)
      if (!node.valid() || node.index() >= g.platform.nodes.size())
        throw InputError(fmt::format("GraphSimulation#/{}", array),
                         fmt::format("hold the number of no node (there are {} nodes). Give numbers below it",
                                     g.platform.nodes.size()));
}

void check_names(GraphSimulation const& g) {
  auto const known = scheduler_names();
  if (!g.scheduler.own && std::ranges::find(known, g.scheduler.type) == known.end())
    throw InputError("GraphSimulation#/scheduler/type",
                     fmt::format("is \"{}\" (no policy has this name). {}", g.scheduler.type,
                                 use_one_of(g.scheduler.type, known)));
  if (std::ranges::any_of(g.graph.phases, [](Phase const& phase) { return phase.placement != 0; }))
    throw InputError("GraphSimulation#/graph/phases",
                     "have several placements (the owners are of one). Place all phases by the first");
}

/// Throws InputError if a node has tasks of a kernel that none of its workers can run.
void check_timings(TaskPlan const& p) {
  if (auto const found = find_unrunnable(p))
    throw InputError("GraphSimulation#/kernels",
                     fmt::format("have no duration of {} on a worker of {} (node {} has tasks of it). Add a "
                                 "timing for this tile size and precision",
                                 p.work.kernels[found->kernel].name,
                                 p.scenario.platform.type_of(found->node).name, found->node.value()));
}

}  // namespace

Result simulate(GraphSimulation g, RunControl const& control) {
  check_arrays(g);
  check_names(g);
  PlacedScenario s;
  s.name = std::move(g.name);
  s.seed = g.scheduler.seed;
  s.platform = std::move(g.platform);
  s.models = std::move(g.kernels);
  s.scheduler = std::move(g.scheduler);
  s.network.model = g.network;
  if (control.scheduler)
    s.scheduler = {.type = control.scheduler_name, .own = control.scheduler, .seed = s.scheduler.seed};

  s.application = GraphApplication{};
  PlacedGraph placed{.graph = std::move(g.graph),
                     .owners = std::move(g.owners),
                     .nodes = std::move(g.nodes),
                     .source = "GraphSimulation"};
  complete_placement(placed, s.platform.nodes.size(), TaskProgram{});
  TaskPlan planned = plan_graph(std::move(s), std::move(placed),
                                {.application = g.application, .precision = g.precision, .nb = g.nb});
  check_timings(planned);
  planned.grid = grid_of(planned);

  return *run_controlled(SimulationPlan(std::move(planned)), control).result;
}

Cluster read_cluster(std::string const& path_or_name) {
  auto const file = file_named(ShippedKind::platform, path_or_name, std::filesystem::current_path());
  Cluster cluster{.platform = read_platform(file.value_or(path_or_name)), .kernels = {}};
  for (NodeType const& type : cluster.platform.types) {
    KernelModel& model = cluster.kernels.emplace_back();
    if (!type.kernels_file.empty()) model = read_kernel_model(type.kernels_file);
    if (model.machine.empty()) model.machine = type.name;
  }
  return cluster;
}

}  // namespace factosim
