#include "simulator/search/map_evaluator.hpp"

#include "simulator/simulation/simulate.hpp"
#include "simulator/sweep/content_hash.hpp"

namespace factosim {

namespace {

PlacedScenario without_simgrid(PlacedScenario scenario) {
  if (scenario.network.model == NetworkModel::simgrid) scenario.network.model = NetworkModel::maxmin;
  return scenario;
}

}  // namespace

MapEvaluator::MapEvaluator(PlacedScenario scenario, SearchBudget const& budget)
    : budget_(budget), plan_(plan_tasks(without_simgrid(std::move(scenario)))) {}

std::optional<Seconds> MapEvaluator::makespan(TileMap const& map) {
  if (!known_.insert(fingerprint(map)).second) return std::nullopt;
  ++evaluations_;
  re_place(plan_, map);
  return simulate_with_seed(plan_, plan_.scenario.seed, nullptr, {}).makespan;
}

bool MapEvaluator::budget_spent() const {
  if (budget_.evaluations && evaluations_ >= *budget_.evaluations) return true;
  return budget_.time && std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.time->value;
}

/// Hashes the owners of the tiles that the application uses.
std::string MapEvaluator::fingerprint(TileMap const& map) const {
  std::vector<std::uint32_t> owners;
  for (HandleInfo const& h : plan_.graph.handles) owners.push_back(map.at(h.m, h.n).value());
  return content_hash({reinterpret_cast<char const*>(owners.data()), owners.size() * sizeof owners.front()});
}

}  // namespace factosim
