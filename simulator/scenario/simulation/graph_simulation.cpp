#include "factosim/graph_simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/scenario/simulation/simulation_cost.hpp"

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
  for (NodeId const node : g.nodes)
    if (!node.valid() || node.index() >= g.platform.nodes.size())
      throw InputError("GraphSimulation#/nodes",
                       fmt::format("hold the number of no node (there are {} nodes). Give numbers below it",
                                   g.platform.nodes.size()));
  for (NodeId const owner : g.owners)
    if (!owner.valid() || owner.index() >= g.platform.nodes.size())
      throw InputError("GraphSimulation#/owners",
                       fmt::format("hold the number of no node (there are {} nodes). Give numbers below it",
                                   g.platform.nodes.size()));
}

void check_names(GraphSimulation const& g) {
  auto const known = scheduler_names();
  if (!g.scheduler.own && std::ranges::find(known, g.scheduler.type) == known.end())
    throw InputError("GraphSimulation#/scheduler/type",
                     fmt::format("is \"{}\" (no policy has this name). Use one of {}", g.scheduler.type,
                                 fmt::join(known, ", ")));
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

/// The trace and the series of a run that is written to a folder.
class Observation {
 public:
  Observation(TaskPlan const& plan, RunControl const& control) : plan_(plan) {
    if (control.out.empty()) return;
    OutputOptions outputs;
    choose_outputs(outputs, control, plan.task_count());
    if (!outputs.traces.empty()) name_trace(records_.emplace(), plan);
    if (outputs.series_points > 0)
      record_.series.emplace(plan.stored().graph, plan.machine.node_count(), outputs.series_points);
    folder_.emplace(control.out, std::move(outputs), control.force);
  }

  [[nodiscard]] TraceRecords* trace() { return records_ ? &*records_ : nullptr; }
  [[nodiscard]] Series* series() { return record_.series ? &*record_.series : nullptr; }

  void write(Result const& result) {
    if (!folder_) return;
    record_.json = result_json(result);
    if (records_) record_.trace = run_trace(plan_, *records_);
    record_.series_nodes = series_nodes(plan_.scenario.platform);
    (void)folder_->write(record_);
  }

 private:
  TaskPlan const& plan_;
  std::optional<TraceRecords> records_;
  RunRecord record_{};
  std::optional<RunFolder> folder_;
};

}  // namespace

Result simulate(GraphSimulation g, RunControl const& control) {
  check_arrays(g);
  check_names(g);
  CostMeter const meter;
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
  TaskPlan planned = plan_graph(std::move(s), {std::move(g.graph), std::move(g.owners), std::move(g.nodes)},
                                {.application = g.application, .precision = g.precision, .nb = g.nb});
  check_timings(planned);
  planned.grid = grid_of(planned);

  std::uint64_t const seed = planned.scenario.seed;
  TaskFigures figures = figures_of(planned);
  Observation observation(planned, control);
  SimulationOutcome const outcome = simulate_with_seed(
      planned, seed, observation.trace(), progress_of(control, planned.task_count()), observation.series());
  Result result = result_of(planned, outcome, std::move(figures), meter.cost(planned.task_count()));
  result.provenance = {
      .program = std::string(version()), .revision = std::string(git_revision()), .seed = seed};
  observation.write(result);
  return result;
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
