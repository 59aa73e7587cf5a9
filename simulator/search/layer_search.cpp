#include "simulator/search/layer_search.hpp"

#include <iterator>
#include <map>
#include <utility>

#include "simulator/placement/timed_application.hpp"
#include "simulator/search/layer_choice.hpp"

namespace factosim {

namespace {

std::vector<double> speeds_of(PlacedScenario const& scenario) {
  std::vector<double> speeds;
  for (NodeCosts const& node : costs_of(timed_application(scenario)).nodes)
    speeds.push_back(1 / node.area_of(TaskKind::update));
  return speeds;
}

struct Simulated {
  LayerChoice choice;
  Seconds makespan;
};

class LayerSearch {
 public:
  LayerSearch(PlacedScenario const& scenario, SearchLimits const& limits, SearchProgress const& progress)
      : maps_(scenario, limits, progress),
        request_(distribution_request(maps_.scenario())),
        addition_bandwidth_(scenario.distribution.layers->addition_bandwidth),
        speeds_(speeds_of(scenario)),
        random_(scenario.seed) {}

  FoundDistribution run() {
    FoundDistribution found;
    maps_.consider(maps_.scenario().distribution);
    std::size_t const own = maps_.history().size();
    for (LayerChoice& choice : first_layer_choices(speeds_)) {
      if (maps_.budget_spent()) break;
      (void)consider(std::move(choice));
    }
    found.start_makespan = maps_.makespan();
    found.start = maps_.history().size() == own ? "scenario" : "layers";
    for (int known = 0; known < known_maps_in_a_row && !maps_.budget_spent(); ++known)
      if (consider(random_neighbour(next(), speeds_, random_))) known = -1;
    found.distribution = maps_.best();
    found.makespan = maps_.makespan();
    found.evaluations = maps_.evaluations();
    found.history = maps_.history();
    for (auto const& [layers, best] : best_)
      if (best.makespan <= found.makespan) found.json = best.choice.json(addition_bandwidth_);
    return found;
  }

 private:
  /// Simulates the choice and goes on from it if it is the best. Returns false if it was not simulated.
  bool consider(LayerChoice choice) {
    auto const makespan = maps_.consider(make_distribution(
        {.main = {choice.description(addition_bandwidth_), "/distribution"}, .generation = {}}, request_));
    if (!makespan) return false;
    auto const [best, is_first] = best_.try_emplace(choice.nodes.size(), Simulated{choice, *makespan});
    if (!is_first && *makespan < best->second.makespan) best->second = {std::move(choice), *makespan};
    return true;
  }

  /// Returns the best choice of a random number of layers, or the first one.
  [[nodiscard]] LayerChoice next() {
    if (best_.empty()) return first_layer_choices(speeds_).front();  // as long as none fits
    return std::next(best_.begin(), random_.below(static_cast<int>(best_.size())))->second.choice;
  }

  SimulatedMaps maps_;
  DistributionRequest request_;
  double addition_bandwidth_;
  std::vector<double> speeds_;  // [nodes]
  SearchRandom random_;
  std::map<std::size_t, Simulated> best_;  // of each number of layers
};

}  // namespace

FoundDistribution search_layers(PlacedScenario const& scenario, SearchLimits const& limits,
                                SearchProgress const& progress) {
  return LayerSearch(scenario, limits, progress).run();
}

}  // namespace factosim
