#include "simulator/studies/search/layer_search.hpp"

#include <iterator>
#include <map>
#include <utility>

#include "simulator/scenario/placement/timed_application.hpp"
#include "simulator/studies/search/layer_choice.hpp"

namespace factosim {

namespace {

struct Simulated {
  LayerChoice choice;
  Seconds makespan;
};

class LayerSearch {
 public:
  LayerSearch(PlacedScenario const& scenario, SearchLimits const& limits, SearchProgress const& progress)
      : maps_(scenario, limits, progress),
        addition_bandwidth_(scenario.distribution.layers->addition_bandwidth),
        times_(update_times(costs_of(timed_application(scenario)))),
        random_(scenario.seed) {}

  FoundDistribution run() {
    auto const own = maps_.consider(maps_.scenario().distribution);
    for (LayerChoice& choice : first_layer_choices(times_)) {
      if (maps_.budget_spent()) break;
      (void)consider(std::move(choice));
    }
    Seconds const start = maps_.best().makespan;
    for (int known = 0; known < known_maps_in_a_row && !maps_.budget_spent(); ++known)
      if (consider(random_neighbour(next(), times_, random_))) known = -1;
    FoundDistribution found = maps_.best();
    found.start = own == start ? "scenario" : "layers";
    found.start_makespan = start;
    return found;
  }

 private:
  /// Simulates the choice and goes on from it if it is the best. Returns false if it was not simulated.
  bool consider(LayerChoice choice) {
    nlohmann::ordered_json const json = choice.json(addition_bandwidth_);
    auto const makespan = maps_.consider(distribution_of(json, maps_.scenario()), json);
    if (!makespan) return false;
    auto const [best, is_first] = best_.try_emplace(choice.nodes.size(), Simulated{choice, *makespan});
    if (!is_first && *makespan < best->second.makespan) best->second = {std::move(choice), *makespan};
    return true;
  }

  /// Returns the best choice of a random number of layers, or the first one.
  [[nodiscard]] LayerChoice next() {
    if (best_.empty()) return first_layer_choices(times_).front();  // as long as none fits
    return std::next(best_.begin(), random_.below(static_cast<int>(best_.size())))->second.choice;
  }

  SimulatedMaps maps_;
  double addition_bandwidth_;
  std::vector<double> times_;  // [nodes] of an update
  SearchRandom random_;
  std::map<std::size_t, Simulated> best_;  // of each number of layers
};

}  // namespace

FoundDistribution search_layers(PlacedScenario const& scenario, SearchLimits const& limits,
                                SearchProgress const& progress) {
  return LayerSearch(scenario, limits, progress).run();
}

}  // namespace factosim
