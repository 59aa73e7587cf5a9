#include "simulator/scenario/simulation/recursive_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/scenario/placement/timed_application.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

namespace {

constexpr double cannot_run = std::numeric_limits<double>::infinity();

TiledApplication const& application_of(PlacedScenario const& s) {
  return std::get<TiledApplication>(s.application);
}

ApplicationParameters parameters_of_parts(ApplicationParameters p) {
  int const parts = p.recursive->parts(p.nb);
  p.nb /= parts;
  p.nt *= parts;
  return p;
}

/// Returns the program of all forms, and the graph of the parts alone.
std::pair<RecursiveProgram, TaskGraph> program_of(PlacedScenario const& s) {
  auto const& [definition, parameters] = application_of(s);
  ApplicationParameters const parts = parameters_of_parts(parameters);
  TaskGraph fine = definition->graph(parts, s.distribution.map);
  RecursiveProgram program = recursive_program(definition->graph(parameters, s.distribution.map), fine,
                                               {.parts = parameters.nb / parts.nb, .nb = parts.nb});
  return {std::move(program), std::move(fine)};
}

/// Sets the durations of the splits, by the number of children of each coarse kernel.
void add_split_costs(std::span<std::size_t const> children, Seconds each, Machine::Type& type) {
  std::size_t const workers = type.workers.size();
  for (std::size_t k = 0; k < children.size(); ++k)
    for (std::size_t w = 0; w < workers; ++w) {
      std::size_t const i = (2 * children.size() + k) * workers + w;
      if (std::isinf(type.durations[i])) continue;
      type.durations[i] = each.value * static_cast<double>(children[k]);
      type.samples[i] = {type.durations[i]};
    }
}

/// Returns the workers with the durations of all kernels of the program. A core spends the submission of all children
/// in a split.
Machine machine_of_program(PlacedScenario const& s, RecursiveProgram const& program) {
  Machine out = machine_of(timed_application(s), program.graph.kernels);
  std::vector<std::size_t> children(program.tasks.kernels, 0);
  for (std::uint32_t c = 0; c < program.tasks.count; ++c)
    children[program.graph.kernel[c]] = program.tasks.children_of(c).size();
  for (Machine::Type& type : out.types) add_split_costs(children, s.runtime.submission_cost, type);
  return out;
}

/// Takes the coarse kernels from the cores, and the fine ones from the GPUs, where the others can run them.
void separate(Machine& machine, std::size_t kernels) {
  for (Machine::Type& type : machine.types) {
    std::size_t const workers = type.workers.size();
    for (std::size_t k = 0; k < 2 * kernels; ++k) {
      bool const on_gpus = k < kernels;
      double* const row = type.durations.data() + k * workers;
      bool able = false;
      for (std::size_t w = 0; w < workers; ++w)
        able = able || (type.workers[w].gpu == on_gpus && !std::isinf(row[w]));
      for (std::size_t w = 0; able && w < workers; ++w)
        if (type.workers[w].gpu != on_gpus) row[w] = cannot_run;
    }
  }
}

/// Returns the machine with the least durations of the parts of a task in any form: see `bounds_of_all_forms`.
Machine least_machine(Machine machine, std::span<Kernel const> kernels, std::size_t coarse) {
  for (Machine::Type& type : machine.types) {
    std::size_t const workers = type.workers.size();
    std::vector<double> least;
    for (std::size_t k = coarse; k < 2 * coarse; ++k)
      for (std::size_t w = 0; w < workers; ++w) {
        double per_operation = cannot_run;
        for (std::size_t c = 0; c < coarse; ++c)
          per_operation = std::min(per_operation, type.shortest_duration(c, w) / kernels[c].flops.value);
        least.push_back(std::min(type.shortest_duration(k, w), per_operation * kernels[k].flops.value));
      }
    type.durations = std::move(least);
    type.contention.reset();
  }
  return machine;
}

}  // namespace

bool has_recursive_tasks(PlacedScenario const& s) {
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  return tiled != nullptr && tiled->parameters.recursive &&
         splitter_named(tiled->parameters.recursive->splitter).make != nullptr;
}

ExecutionPlan plan_on_one_node(TaskGraph& graph) {
  return plan_recorded_execution(graph, std::vector<NodeId>(graph.handles.size(), NodeId{0}),
                                 std::vector<NodeId>(graph.task_count(), NodeId{0}), 1);
}

void check_recursive(PlacedScenario const& s) {
  auto const refuse = [&](char const* where, std::string_view problem) {
    throw InputError(s.file + where, std::string(problem));
  };
  if (s.platform.nodes.size() > 1)
    refuse("#/application/recursive",
           fmt::format("splits tasks on {} nodes (messages carry whole tiles). Use one node, or the splitter "
                       "\"never\"",
                       s.platform.nodes.size()));
  if (s.schedule)
    refuse("#/scheduler",
           "is a static schedule (which tasks run is decided during the run). Use a policy, or no "
           "recursive tasks");
  if (s.scheduler.type == "heft")
    refuse("#/scheduler/type",
           "is \"heft\" (it plans all tasks before the run, and which run is decided later). "
           "Use another policy, or no recursive tasks");
  if (s.runtime.max_submitted_tasks > 0)
    refuse("#/runtime/max_submitted_tasks",
           "limits the submission (tasks that are split submit others, without "
           "limit). Use 0, or no recursive tasks");
  if (s.runtime.workers_per_gpu > 1)
    refuse(
        "#/runtime/workers_per_gpu",
        "is above 1 (splits are decided by the speeds of GPUs that run one kernel at a time). Use 1, or no "
        "recursive tasks");
  if (s.runtime.out_of_core)
    refuse(
        "#/runtime/out_of_core",
        "is true (the parts of a tile are kept beside it, so RAM would hold the matrix twice). Use false, or "
        "no recursive tasks");
}

RecursivePlan plan_recursive(PlacedScenario const& s) {
  check_recursive(s);
  auto [program, fine] = program_of(s);
  std::size_t const kernels = program.tasks.kernels;
  Machine machine = machine_of_program(s, program);
  SplitterKind const& splitter = splitter_named(application_of(s).parameters.recursive->splitter);
  if (splitter.separates) separate(machine, kernels);
  Machine least = least_machine(machine, program.graph.kernels, kernels);
  ExecutionPlan plan = plan_on_one_node(program.graph);
  ExecutionPlan fine_plan = plan_on_one_node(fine);
  return {std::move(program.graph),
          std::move(plan),
          std::move(machine),
          {.tasks = std::move(program.tasks),
           .make_splitter = splitter.make,
           .parts = std::move(fine),
           .plan_of_parts = std::move(fine_plan),
           .least = std::move(least)}};
}

RecursiveProgram recursive_program_of(PlacedScenario const& s) { return program_of(s).first; }

TakenTasks tasks_of_trace(RecursiveProgram const& program, Trace const& trace) {
  std::map<std::array<std::int32_t, 3>, std::uint32_t> coarse;
  auto const place = [](TaskIndices const& i) { return std::array{i.k, i.m, i.n}; };
  for (std::uint32_t c = 0; c < program.tasks.count; ++c) coarse[place(program.graph.indices[c])] = c;
  std::vector<bool> split(program.tasks.count, false);
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    if (trace.kernels[trace.kernel[t]].name == "split" && t < trace.indices.size())
      if (auto const known = coarse.find(place(trace.indices[t])); known != coarse.end())
        split[known->second] = true;
  return taken_tasks(program.graph, program.tasks, split);
}

}  // namespace factosim
