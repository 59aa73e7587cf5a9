#include "simulator/scenario/simulation/size_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "factosim/error.hpp"
#include "models/applications/task_formulas.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/scenario/simulation/resources.hpp"

namespace factosim {

namespace {

/// With fewer tasks, the stored graph fits any computer, and a run that has it says what limits it.
constexpr std::uint64_t min_automatic_tasks = 4'000'000;
/// With fewer tasks, the stored graph stays in the caches, and a run by formulas takes no less time.
constexpr std::uint64_t min_tasks_beside_graph = 50'000;

/// Returns what makes the run need the stored graph, to stand after "needs all tasks beforehand:"; empty if nothing does.
std::string need_of_graph(ApplicationParameters const& p, ClusterOptions const& s, ScenarioHead const& head,
                          TaskFormulas const* formulas) {
  RuntimeOptions const& o = s.runtime;
  if (p.is_nested()) return "tasks are split (application/nested)";
  if (p.formats) return "tiles have several formats (application/tile_formats)";
  if (formulas == nullptr) return fmt::format("there are no formulas for the variant \"{}\"", p.variant);
  if (formulas->task_count() > std::numeric_limits<std::uint32_t>::max())
    return fmt::format("{} tasks cannot be numbered", formulas->task_count());
  if (s.schedule) return "tasks follow a schedule (scheduler/file)";
  if (s.scheduler.own) return "the policy is of a plug-in or a program (scheduler/type)";
  if (s.scheduler.type == "heft" || s.scheduler.type == "darts")
    return fmt::format("the policy {} plans ahead (scheduler/type)", s.scheduler.type);
  if (o.max_submitted_tasks > 0) return "submission is limited (runtime/max_submitted_tasks)";
  if (o.unrolling != Unrolling::whole)
    return fmt::format("nodes unroll parts of the task flow (runtime/unrolling is \"{}\")",
                       name_of(o.unrolling));
  if (head.outputs.series_points > 0) return "a series is recorded (outputs/series)";
  if (std::ranges::any_of(s.platform.nodes,
                          [&](std::uint32_t type) { return s.platform.types[type].out_of_core; }))
    return "a node computes out of core";
  if (o.allocate_at_submission) return "RAM is page-locked at submission (runtime/allocate_at_submission)";
  return {};
}

// Measured on 2026-11-21 (tests/robustness.md) and rounded up: forcing a refused run costs less than losing a
// run that is killed.
constexpr double bytes_per_task = 125;         // 92 to 125, from 21 million tasks to 74 thousand
constexpr double bytes_per_traced_task = 110;  // while records are kept
constexpr double bytes_per_tile = 24;          // one or two maps, a handle
constexpr double bytes_per_node = 7e3;
constexpr double bytes_per_level = 144;  // of a series, per node and point
constexpr double bytes_per_core = 260;
constexpr double bytes_per_gpu = 6.5e3;
constexpr double seconds_per_task = 6e-6;  // SimGrid, 22 nodes; 3e-6 without sharing, 10e-6 with 184 nodes
constexpr double seconds_per_node = 25e-6;
// Single measurements on a busy machine (tests/robustness.md); bytes of a repetition from the sizes of structures.
constexpr double bytes_per_run = 200;          // seeds and makespan of a repetition
constexpr double seconds_per_run = 1.8e-3;     // a repetition in a process of its own, without its tasks
constexpr double seconds_of_exchanges = 1e-8;  // times the square of the nodes and the different speeds
// SimGrid computes all flows anew when one starts or ends: Cholesky of 300 tiles on 200 nodes, 236e-6 s a message with
// about 930 flows in flight.
constexpr double seconds_per_message_and_flow = 0.25e-6;

/// Accesses, three a task at most, are counted in 32 bits.
constexpr double max_numbered = 1.4e9;

double bytes_of_nodes(Platform const& platform) {
  double bytes = 0;
  for (std::uint32_t const type : platform.nodes)
    bytes += bytes_per_node + bytes_per_core * platform.types[type].cores +
             bytes_per_gpu * static_cast<double>(platform.types[type].gpus.size());
  return bytes;
}

double bytes_of_series(OutputOptions const& outputs, Platform const& platform) {
  return bytes_per_level * static_cast<double>(outputs.series_points) *
         static_cast<double>(platform.nodes.size());
}

bool keeps_trace(OutputOptions const& outputs, double tasks) {
  return !outputs.traces.empty() &&
         (!outputs.trace_by_default || tasks <= static_cast<double>(max_tasks_traced_by_default));
}

// Without a stored graph.
constexpr double bytes_per_tile_by_formulas =
    400;  // owners, handles, states; what nodes hold of others' tiles
constexpr double bytes_per_node_by_formulas = 290e3;  // windows of a node's bound (WindowedLoads)

WorkEstimate size_of_flow(double tasks, int nt, std::size_t nodes) {
  return {.count = tasks,
          .memory_bytes = program_bytes + bytes_per_tile_by_formulas * std::pow(nt, 2) +
                          bytes_per_node_by_formulas * static_cast<double>(nodes),
          .cpu_s = seconds_per_task * tasks};
}

WorkEstimate size_of_stored(double tasks, int nt) {
  return {.count = tasks,
          .memory_bytes = program_bytes + bytes_per_task * tasks + bytes_per_tile * std::pow(nt, 2),
          .cpu_s = seconds_per_task * tasks};
}

double available_bytes(SizeLimit const& limit) {
  return static_cast<double>(limit.memory_bytes ? *limit.memory_bytes : available_memory_bytes());
}

/// `of_tasks`, `of_memory`: locations of the input that decides these; `fewer`: the items to reduce.
void check_tasks(WorkEstimate const& size, SizeLimit const& limit, std::string const& of_tasks,
                 std::string const& of_memory, std::string_view fewer, bool stored = true) {
  if (stored && size.count > max_numbered)
    throw InputError(of_tasks,
                     fmt::format("makes {} tasks (more than {} cannot be numbered). Use fewer tiles",
                                 about_count(size.count), about_count(max_numbered)));
  double const available = available_bytes(limit);
  if (limit.forced || size.memory_bytes <= available) return;
  throw InputError(
      of_memory,
      fmt::format(
          "would take {} ({} are there for it). Use fewer {}, a machine with more memory, or --force-large",
          size.description(), about_bytes(available), fewer));
}

/// Kernels are numbered in 16 bits, and tiles of each rank may have kernels of their own.
void check_kernels(Application const& application, ApplicationParameters const& p, std::string const& file) {
  if (!p.formats) return;
  constexpr std::size_t most = std::numeric_limits<decltype(TaskGraph::kernel)::value_type>::max();
  // At most, of each rank and precision: trsm, syrk, six kinds of gemm, and conversions.
  constexpr std::size_t of_one_rank = precisions.size() * (8 + precisions.size());
  std::set<int> ranks;
  for (TileFormat const& format : p.formats->formats) ranks.insert(format.rank);
  if (ranks.size() * of_one_rank <= most / 2) return;
  if (std::size_t const count = application.kernels(p).size(); count > most)
    throw InputError(file + "#/application/tile_formats",
                     fmt::format("makes {} kernels for tiles of {} ranks (more than {} cannot be numbered). "
                                 "Round ranks up to fewer values",
                                 count, ranks.size(), most));
}

/// The parts of a task graph's scenario that decide its size.
struct TaskGraphSize {
  ClusterOptions const& cluster;
  double tasks;
  char const* pointer = "#/application/file";  // to the key that decides the number of tasks
  int nt = 0;                                  // 0: unknown
  bool stored = true;                          // formulas do not give the tasks
};

TaskGraphSize size_of_graph(Scenario const& s) {
  auto const& [application, cluster, overrides, distribution] = std::get<TaskScenario>(s.application);
  if (auto const* const replay = std::get_if<TraceApplication>(&application))
    return {cluster, static_cast<double>(replay->trace->task_count())};
  if (auto const* const graph = std::get_if<GraphApplication>(&application))
    return {cluster, static_cast<double>(graph->program->graph.task_count())};
  auto const& tiled = std::get<TiledApplication>(application);
  bool const stored = distribution->main.has_layers || formulas_of_run(tiled, cluster, s, false) == nullptr;
  ApplicationParameters const& p = tiled.parameters;
  return {cluster, tiled.definition->max_tasks(p), "#/application/nt", p.nt, stored};
}

/// Returns the time that SimGrid may take if nodes always send. A tile of a factorization goes to the other nodes of its
/// row or column in the grid of nodes, about the square root of all; half of the sends that a node may have in flight
/// are.
double sharing_seconds(TaskGraphSize const& size) {
  if (size.cluster.network.model != NetworkModel::simgrid) return 0;
  auto const nodes = static_cast<double>(size.cluster.platform.nodes.size());
  if (nodes < 2) return 0;
  double const messages = size.nt > 0 ? std::pow(size.nt, 2) * std::sqrt(nodes) : size.tasks;
  double const flows = std::min(messages, nodes * size.cluster.runtime.max_sends_per_node / 2);
  return seconds_per_message_and_flow * messages * flows;
}

WorkEstimate estimate(TaskGraphSize const& size, OutputOptions const& outputs) {
  WorkEstimate out = size.stored ? size_of_stored(size.tasks, size.nt)
                                 : size_of_flow(size.tasks, size.nt, size.cluster.platform.nodes.size());
  out.sharing_s = sharing_seconds(size);
  if (keeps_trace(outputs, size.tasks)) out.memory_bytes += bytes_per_traced_task * size.tasks;
  out.memory_bytes += bytes_of_nodes(size.cluster.platform) + bytes_of_series(outputs, size.cluster.platform);
  out.cpu_s += seconds_per_node * static_cast<double>(size.cluster.platform.nodes.size());
  return out;
}

}  // namespace

std::unique_ptr<TaskFormulas const> formulas_of_run(TiledApplication const& application,
                                                    ClusterOptions const& cluster, ScenarioHead const& head,
                                                    bool has_layers) {
  auto const& [definition, p] = application;
  if (!definition->has_formulas || p.task_graph == TaskGraphForm::stored) return nullptr;
  std::unique_ptr<TaskFormulas const> formulas = definition->formulas(p);
  bool const automatic = p.task_graph == TaskGraphForm::automatic;
  if (automatic && (!formulas || formulas->task_count() < min_automatic_tasks)) return nullptr;
  std::string const need = has_layers ? "tiles are on layers (distribution/type)"
                                      : need_of_graph(p, cluster, head, formulas.get());
  if (need.empty()) return formulas;
  if (automatic) return nullptr;
  throw InputError(
      head.file + "#/application/task_graph",
      fmt::format(
          "is \"formulas\", and the run needs the stored graph ({}). Use \"automatic\", or change that",
          need));
}

std::unique_ptr<TaskFormulas const> formulas_beside_graph(TiledApplication const& application,
                                                          ClusterOptions const& cluster,
                                                          ScenarioHead const& head, bool has_layers) {
  auto const& [definition, p] = application;
  if (!definition->has_formulas || p.task_graph != TaskGraphForm::automatic || has_layers) return nullptr;
  std::unique_ptr<TaskFormulas const> formulas = definition->formulas(p);
  if (!formulas || formulas->task_count() < min_tasks_beside_graph) return nullptr;
  return need_of_graph(p, cluster, head, formulas.get()).empty() ? std::move(formulas) : nullptr;
}

void check_work(WorkEstimate const& work, double max_s, SizeLimit const& limit, std::string const& where,
                std::string_view remedy) {
  double const available = available_bytes(limit);
  bool const fits = work.memory_bytes <= available;
  if (limit.forced || (fits && work.cpu_s <= max_s)) return;
  std::string const why = fits ? "more than " + about_seconds(max_s) + " is not begun unasked"
                               : about_bytes(available) + " are there for it";
  throw InputError(where,
                   fmt::format("would take {} ({}). {}, or --force-large", work.description(), why, remedy));
}

WorkEstimate repetitions_of(WorkEstimate const& one, double runs) {
  return {.count = runs,
          .things = "simulations",
          .memory_bytes = one.memory_bytes + bytes_per_run * runs,
          .cpu_s = (seconds_per_run + one.cpu_s) * runs,
          .sharing_s = one.sharing_s * runs};
}

void check_arrangement(DistributionDescription const& distribution, std::size_t speeds,
                       SizeLimit const& limit) {
  // The nodes of a grid are swapped pair by pair, those of one speed with others only. The exact method has few nodes, the
  // others are fast.
  for (DistributionMethod const* const method :
       {&distribution.main, distribution.generation ? &*distribution.generation : nullptr}) {
    if (method == nullptr || method->exchanges.nodes == 0) continue;
    auto const& [nodes, own_speeds] = method->exchanges;
    check_work({.count = nodes,
                .things = "nodes on the grid",
                .cpu_s = seconds_of_exchanges * nodes * nodes *
                         static_cast<double>(own_speeds > 0 ? own_speeds : speeds)},
               max_preparation_s, limit, method->where, "Use a smaller grid, or the method \"heuristic\"");
  }
}

WorkEstimate simulation_work(Scenario const& s) {
  if (auto const* const other = std::get_if<ExperimentScenario>(&s.application))
    return other->experiment.work.estimate;
  return estimate(size_of_graph(s), s.outputs);
}

void check_size(Scenario const& s, SizeLimit const& limit) {
  if (auto const* const other = std::get_if<ExperimentScenario>(&s.application)) {
    ExperimentWork const& work = other->experiment.work;
    return check_work(work.estimate, work.max_s, limit, s.file + work.pointer, work.remedy);
  }
  TaskGraphSize const size = size_of_graph(s);
  double const bytes_of_tasks =
      size.stored ? bytes_per_task * size.tasks : bytes_per_tile_by_formulas * std::pow(size.nt, 2);
  Platform const& platform = size.cluster.platform;
  bool const by_nodes = bytes_of_nodes(platform) + bytes_of_series(s.outputs, platform) > bytes_of_tasks;
  std::string const of_tasks = s.file + size.pointer;
  check_tasks(estimate(size, s.outputs), limit, of_tasks, by_nodes ? s.file + "#/platform" : of_tasks,
              by_nodes ? "nodes" : "tiles", size.stored);
  if (auto const* const tiled =
          std::get_if<TiledApplication>(&std::get<TaskScenario>(s.application).application))
    check_kernels(*tiled->definition, tiled->parameters, s.file);
}

void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file) {
  std::string const where = file + "#/application/nt";
  check_tasks(size_of_stored(application.max_tasks(parameters), parameters.nt), limit, where, where, "tiles");
  check_kernels(application, parameters, file);
}

}  // namespace factosim
