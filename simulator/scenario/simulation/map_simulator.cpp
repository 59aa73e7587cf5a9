#include "simulator/scenario/simulation/map_simulator.hpp"

#include <map>
#include <memory>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

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
