#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "simulator/bounds/bounds.hpp"
#include "simulator/bounds/iteration_bounds.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/placement/distribution_json.hpp"
#include "simulator/placement/timed_application.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/simulation/run.hpp"

namespace factosim {

namespace {

/// Returns the bounds of the iterations of a factorization; nothing for other applications.
nlohmann::ordered_json iterations_json(PlacedScenario const& s) {
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  if (tiled == nullptr || tiled->definition->is_product) return nlohmann::ordered_json::object();
  TimedApplication const timed = timed_application(s);
  Application const& app = timed.application;
  auto const [kernels, kinds] = app.factorization_kernels(timed.parameters);
  Machine const machine = machine_of(timed, kernels);
  PartitionDetails const* const partition = s.distribution.partition();
  return iteration_bounds_json(
      iteration_bounds(s.distribution.map, app.factorization(), machine, kinds, costs_of(timed)),
      partition != nullptr ? partition->sections : std::vector<Section>{});
}

void bounds(ScenarioArguments const& arguments) {
  SimulationPlan const simulation =
      plan_simulation(read_scenario(arguments.file, arguments.settings), {.forced = arguments.force_large});
  TaskPlan const& p = task_plan(simulation);
  Distribution const& distribution = p.scenario.distribution;
  Bounds const b = compute_bounds(p.graph, p.plan, p.machine, p.topology, p.grid);
  if (arguments.json) {
    nlohmann::ordered_json json = bounds_json(b);
    json.update(iterations_json(p.scenario));
    json.update(phases_json(distribution));
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print("area bound, all workers           {:.6g} s\n", b.abe.value);
  fmt::print("area bound, most loaded node      {:.6g} s\n",
             std::max_element(b.abe_per_node.begin(), b.abe_per_node.end())->value);
  fmt::print("critical path                     {:.6g} s\n", b.critical_path.value);
  fmt::print("critical path with messages       {:.6g} s\n", b.critical_path_with_comm.value);
  if (PhaseLoads const* const loads = distribution.loads())
    fmt::print("linear program of the phases      {:.6g} s (no bound; generation until {:.6g} s)\n",
               loads->makespan_s, loads->generation_end_s);
}

}  // namespace

void add_bounds_command(CLI::App& program) {
  auto const arguments = std::make_shared<ScenarioArguments>();
  CLI::App* const command =
      program.add_subcommand("bounds", "What no schedule of a scenario can beat, without simulating it");
  add_scenario_arguments(*command, *arguments);
  add_force_large(*command, arguments->force_large);
  command->footer("Example: factosim bounds scenarios/lille/block_cyclic_2x11.json --json");
  command->callback([arguments] { bounds(*arguments); });
}

}  // namespace factosim
