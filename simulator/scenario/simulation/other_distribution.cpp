#include "simulator/scenario/simulation/simulate.hpp"

#include <algorithm>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

/// Returns the area bound of the node with most work. Throws InfeasibleError if a node cannot run its tasks.
Seconds most_loaded_node(TaskPlan const& p, OwnersByPlacement const& owners) {
  TaskGraph const& graph = p.stored().graph;
  std::vector<std::vector<std::uint64_t>> tasks(p.machine.node_count(),
                                                std::vector<std::uint64_t>(graph.kernels.size(), 0));
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    NodeId const node = owners[graph.placement(TaskId{t})][graph.written_by(TaskId{t}).index()];
    ++tasks[node.index()][graph.kernel[t]];
  }
  Seconds most{0};
  for (std::uint32_t n = 0; n < tasks.size(); ++n)
    most = std::max(
        most, area_bound(tasks[n], worker_classes(p.machine.type(NodeId{n}), tasks[n].size(), 1)).makespan);
  return most;
}

}  // namespace

std::optional<OtherDistribution> most_even_distribution(TaskPlan const& p, Seconds problem) {
  auto const* const tiled = std::get_if<TiledApplication>(&p.scenario.application);
  if (tiled == nullptr || tiled->definition->depends_on_map(tiled->parameters)) return std::nullopt;
  if (p.scenario.distribution.map.has_layers()) return std::nullopt;
  std::vector<char const*> names{"1d1d"};
  if (!tiled->definition->is_product) names.push_back("1d1d-c");
  try {
    std::optional<OtherDistribution> best;
    for (char const* const name : names) {
      Distribution const other = distribution_of({{"type", name}}, p.scenario);
      Seconds const load = most_loaded_node(p, owners_of_handles(p.stored().graph, other));
      if (!best || load < best->at_least) best = {name, load};
    }
    best->at_least = std::max(best->at_least, problem);
    return best;
  } catch (InputError const&) {  // a node without a timing of some kernel
    return std::nullopt;
  } catch (InfeasibleError const&) {
    return std::nullopt;
  }
}

}  // namespace factosim
