#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "simulator/bounds/iteration_bounds.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/placement/distribution_json.hpp"
#include "simulator/placement/timed_application.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/simulation/run.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

namespace {

/// Returns the bounds of the iterations of a factorization in one precision; nothing for other applications.
nlohmann::ordered_json iterations_json(PlacedScenario const& s) {
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  if (tiled == nullptr || tiled->definition->is_product || tiled->parameters.formats)
    return nlohmann::ordered_json::object();
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
  Bounds const b = bounds_of(p);
  if (arguments.json) {
    nlohmann::ordered_json json = bounds_json(b);
    json.update(iterations_json(p.scenario));
    json.update(phases_json(distribution));
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  auto const row = [](std::string_view name, Seconds bound) {
    fmt::print("{:<37}{:.6g} s\n", name, bound.value);
  };
  row("problem on these nodes", b.problem());
  row("  area bound, all workers", b.abe);
  row("  longest chain, fastest workers", b.problem_path);
  row("  chain, area, chain", b.problem_area_and_path);
  row("this distribution", b.distribution());
  row("  area bound, most loaded node", b.most_loaded_node());
  row("  critical path", b.critical_path);
  row("  critical path with messages", b.critical_path_with_comm);
  row("  chain, node, chain, with messages", b.load_and_path);
  if (!b.link_name.empty()) row("  messages of link " + b.link_name, b.link);
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
