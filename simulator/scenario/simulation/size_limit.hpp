#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/base/core/work_estimate.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution.hpp"

namespace factosim {

/// Limits of a simulation.
struct SizeLimit {
  std::optional<std::int64_t> memory_bytes{};  // by default the available memory of this computer
  bool forced = false;                         // only tasks that cannot be numbered are refused
};

/// More tasks, and run.trace (110 bytes each, and as much memory) is only kept if it is asked for.
inline constexpr std::size_t max_tasks_traced_by_default = 1'000'000;

/// Returns what a simulation takes, estimated by closed forms of the number of tasks and by measured costs of a task, a tile and
/// a node (tests/robustness.md); of an experiment as it says itself. O(nodes).
[[nodiscard]] WorkEstimate simulation_work(Scenario const& scenario);

/// Throws InputError if the simulation needs more memory than the limit or, of an experiment, more time than that allows, unless
/// it is forced, or more tasks or kernels than can be numbered.
void check_size(Scenario const& scenario, SizeLimit const& limit);

/// Estimates so many simulations, one after the other, as replicas and perturbed runs of one scenario.
[[nodiscard]] WorkEstimate repetitions_of(WorkEstimate const& one, double runs);

/// Throws InputError if the work needs more memory than the limit or more than `max_s` processor seconds, unless it is
/// forced. `remedy`: "Leave values out".
void check_work(WorkEstimate const& work, double max_s, SizeLimit const& limit, std::string const& where,
                std::string_view remedy);

/// Throws InputError if the nodes of a grid are too many to be arranged. `speeds`: the number of different speeds if the
/// distribution does not list them.
void check_arrangement(DistributionDescription const& distribution, std::size_t speeds,
                       SizeLimit const& limit);

/// The same of the graph of an application without a platform; messages name `file`.
void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file);

class TaskFormulas;

/// Returns the formulas that the run of a tiled application takes its tasks from; null if it takes them from the stored
/// graph. Throws InputError if the scenario asks for formulas and the run needs the graph. `has_layers`: tiles are on layers.
[[nodiscard]] std::unique_ptr<TaskFormulas const> formulas_of_run(TiledApplication const& application,
                                                                  ClusterOptions const& cluster,
                                                                  ScenarioHead const& head, bool has_layers);
/// Returns the formulas that runs of a stored graph may take its tasks from; null if they take them from the graph.
[[nodiscard]] std::unique_ptr<TaskFormulas const> formulas_beside_graph(TiledApplication const& application,
                                                                        ClusterOptions const& cluster,
                                                                        ScenarioHead const& head,
                                                                        bool has_layers);

}  // namespace factosim
