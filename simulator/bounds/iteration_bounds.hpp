#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "distributions/constrained.hpp"
#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

/// Bounds of the iterations k = 1..nt of a factorization, in seconds; [iterations] unless stated otherwise.
/// Source: ICPADS 2020, sections IV and V.
struct IterationBounds {
  /// ABE_p(k), [nodes][iterations]: the area bound of the node's tasks of the iteration on all its workers.
  std::vector<std::vector<double>> abe_per_node;
  std::vector<double> abe;       // ABE(k): the maximum of ABE_p(k)
  std::vector<double> abe_star;  // ABE*(k): the area bound of all nodes with tasks in it, which share them
  /// CPB(k): a diagonal, a panel and an update task, each on the fastest worker of the node that is slowest
  /// for it among those with tasks in the iteration; without and with two transfers if there are several
  /// nodes.
  std::vector<double> critical_path, critical_path_with_comm;

  /// Returns CABE_p(k), [nodes][iterations]: the sum of ABE_p(1..k).
  [[nodiscard]] std::vector<std::vector<double>> cumulated() const;
  /// Returns SABE_p, [nodes]: the sum of ABE_p over the section's iterations.
  [[nodiscard]] std::vector<double> in_section(Section const& section) const;
};

/// Computes the bounds. `kinds`: of the machine's kernels. Each node must have a worker for each kernel of
/// its tasks.
[[nodiscard]] IterationBounds iteration_bounds(TileMap const& map, Factorization factorization,
                                               Machine const& machine, std::span<TaskKind const> kinds,
                                               FactorizationCosts const& costs);

[[nodiscard]] nlohmann::ordered_json iteration_bounds_json(IterationBounds const& bounds,
                                                           std::span<Section const> sections);

}  // namespace factosim
