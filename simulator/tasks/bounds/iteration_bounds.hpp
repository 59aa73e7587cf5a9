#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "distributions/constrained.hpp"
#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Bounds of the iterations k = 1..nt of a factorization, in seconds; arrays are [iterations] unless stated.
/// Source: ICPADS 2020, sections IV and V.
struct IterationBounds {
  /// ABE_p(k), [nodes][iterations]: the area bound of the tasks of iteration k on all workers of node p. No
  /// order of the tasks is faster.
  std::vector<std::vector<double>> abe_per_node;
  std::vector<double> abe;  // ABE(k): the largest ABE_p(k)
  /// ABE*(k): the area bound of all nodes with tasks in the iteration, as if they shared the tasks.
  std::vector<double> abe_star;
  /// CPB(k): a diagonal, a panel and an update task in sequence. Each takes the time of the fastest worker of
  /// a node, on the node for which this time is longest among those with tasks in the iteration; without
  /// transfers, and with two transfers if several nodes have tasks.
  std::vector<double> critical_path, critical_path_with_comm;

  /// CABE_p(k), [nodes][iterations]: the sum of ABE_p(1..k).
  [[nodiscard]] std::vector<std::vector<double>> cumulated() const;
  /// SABE_p, [nodes]: the sum of ABE_p over the section's iterations.
  [[nodiscard]] std::vector<double> in_section(Section const& section) const;
};

/// Computes the bounds of a map; `kinds` are those of the machine's kernels. Each node must have a worker for
/// each kernel of its tasks.
[[nodiscard]] IterationBounds iteration_bounds(TileMap const& map, Factorization factorization,
                                               Machine const& machine, std::span<TaskKind const> kinds,
                                               FactorizationCosts const& costs);

[[nodiscard]] nlohmann::ordered_json iteration_bounds_json(IterationBounds const& bounds,
                                                           std::span<Section const> sections);

}  // namespace factosim
