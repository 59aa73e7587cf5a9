#include "simulator/app/own_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "simulator/app/recorded_scenario.hpp"
#include "simulator/app/simulate.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

namespace {

/// Puts the means of `run` in place of those of the machine, where it has them.
void replace_means(Machine& machine, Scenario const& scenario, TaskGraph const& graph, RunSummary const& run,
                   OwnMeans& counts) {
  for (std::size_t t = 0; t < machine.types.size(); ++t) {
    auto const& nodes = scenario.platform.nodes;
    if (std::find(nodes.begin(), nodes.end(), t) == nodes.end()) continue;
    Machine::Type& type = machine.types[t];
    std::string const prefix = run.by_type ? scenario.platform.types[t].name + " " : "";
    for (std::size_t k = 0; k < graph.kernels.size(); ++k)
      for (std::size_t w = 0; w < type.workers.size(); ++w) {
        double& duration = type.durations[k * type.workers.size() + w];
        auto const* const known =
            run.find(timing_name(graph.kernels[k]), prefix + (type.workers[w].gpu ? "gpu" : "cpu"));
        if (std::isinf(duration)) continue;  // it cannot run there
        ++(known != nullptr ? counts.replaced : counts.kept);
        if (known != nullptr) duration = known->seconds.mean;
      }
  }
}

}  // namespace

void add_own_means(RunComparison& comparison, std::optional<std::filesystem::path> const& result_a,
                   std::optional<std::filesystem::path> const& result_b) {
  if (!result_a && !result_b) {
    comparison.no_own_means = "neither run has a result.json that names its scenario";
    return;
  }
  OwnMeans own{.simulated = result_b ? 'b' : 'a'};
  try {
    std::filesystem::path const& result = result_b ? *result_b : *result_a;
    Scenario scenario = scenario_of_result(result, parse_json_file(result));
    scenario.noise = {};
    PreparedScenario prepared = prepare(scenario);
    replace_means(prepared.machine, scenario, prepared.graph,
                  (result_b ? comparison.a : comparison.b).summary, own);
    own.makespan_s = simulate_with_seed(scenario, prepared, scenario.seed, nullptr, {}).makespan.value;
    comparison.own_means = own;
  } catch (std::exception const& error) {
    comparison.no_own_means = error.what();
  }
}

}  // namespace factosim
