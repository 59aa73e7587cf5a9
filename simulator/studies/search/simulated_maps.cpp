#include "simulator/studies/search/simulated_maps.hpp"

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/content_hash.hpp"

namespace factosim {

SimulatedMaps::SimulatedMaps(PlacedScenario scenario, SearchLimits const& limits,
                             SearchProgress const& progress)
    : limits_(limits), progress_(progress), simulator_(std::move(scenario)) {
  for (HandleInfo const& h : simulator_.graph().handles) tiles_.emplace_back(h.m, h.n);
  std::ranges::sort(tiles_);  // partial sums of layers are handles of the same tile
  tiles_.erase(std::unique(tiles_.begin(), tiles_.end()), tiles_.end());
}

std::optional<Seconds> SimulatedMaps::consider(Distribution distribution,
                                               std::optional<nlohmann::ordered_json> json) {
  if (!known_.insert(fingerprint(distribution.map)).second) return std::nullopt;
  Seconds makespan;
  try {
    makespan = simulator_.makespan(distribution.map);
  } catch (InfeasibleError const& error) {
    why_none_fits_ = error.what();
    return std::nullopt;
  }
  ++best_.evaluations;
  if (best_.history.empty() || makespan < best_.makespan) {
    best_.distribution = std::move(distribution);
    best_.json = std::move(json);
    best_.makespan = makespan;
    best_.history.emplace_back(best_.evaluations, makespan);
  }
  if (progress_) progress_(best_.evaluations, best_.makespan);
  return makespan;
}

FoundDistribution const& SimulatedMaps::best() const {
  if (best_.history.empty()) throw InfeasibleError(why_none_fits_);
  return best_;
}

bool SimulatedMaps::budget_spent() const {
  if (limits_.evaluations && best_.evaluations >= *limits_.evaluations) return true;
  return limits_.time && std::chrono::duration<double>(Clock::now() - start_).count() >= limits_.time->value;
}

std::string SimulatedMaps::fingerprint(TileMap const& map) const {
  std::vector<std::uint32_t> numbers;
  for (auto const& [m, n] : tiles_) numbers.push_back(map.at(m, n).value());
  for (std::size_t layer = 0; layer < map.layers.owner.size(); ++layer)
    for (auto const& [m, n] : tiles_) numbers.push_back(map.in_layer(layer, m, n).value());
  for (auto const* const of : {&map.layers.of_iteration, &map.layers.of_panel})
    numbers.insert(numbers.end(), of->begin(), of->end());
  return content_hash(
      {reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof numbers.front()});
}

}  // namespace factosim
