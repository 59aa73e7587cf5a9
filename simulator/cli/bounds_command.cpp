#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "simulator/bounds/bounds.hpp"
#include "simulator/bounds/factorization_costs.hpp"
#include "simulator/bounds/iteration_bounds.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/multiphase.hpp"
#include "simulator/simulation/prepared.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

namespace {

nlohmann::ordered_json iterations_json(Scenario const& s) {
  Application const& app = *s.application;
  auto const costs = factorization_costs(s.platform, s.models, app, s.parameters, s.runtime);
  auto const [kernels, kinds] = app.factorization_kernels(s.parameters);
  Machine const machine = build_machine(s.platform, s.models, kernels,
                                        {app.name, s.parameters.precision, s.parameters.nb}, s.runtime);
  return iteration_bounds_json(
      iteration_bounds(s.distribution.map, app.factorization(), machine, kinds, costs),
      s.distribution.sections);
}

void bounds(ScenarioArguments const& arguments) {
  Scenario const scenario = read_scenario(arguments.file, arguments.settings);
  PreparedScenario const p = prepare(scenario, {.forced = arguments.force_large});
  Bounds const b = compute_bounds(p.graph, p.plan, p.machine, p.topology);
  if (arguments.json) {
    nlohmann::ordered_json json = bounds_json(b);
    bool const iterates = !scenario.trace && !scenario.application->is_product;
    if (iterates) json.update(iterations_json(scenario));
    add_multiphase_json(scenario.distribution, json);
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print("area bound, all workers           {:.6g} s\n", b.abe.value);
  fmt::print("area bound, most loaded node      {:.6g} s\n",
             std::max_element(b.abe_per_node.begin(), b.abe_per_node.end())->value);
  fmt::print("critical path                     {:.6g} s\n", b.critical_path.value);
  fmt::print("critical path with messages       {:.6g} s\n", b.critical_path_with_comm.value);
  if (auto const& loads = scenario.distribution.loads)
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
