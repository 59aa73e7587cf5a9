#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "distributions/constrained.hpp"
#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

/// Bounds of the iterations k = 1..nt of a factorization, in seconds; [iterations] unless said otherwise.
/// Source: ICPADS 2020, sections IV and V.
struct IterationBounds {
  /// ABE_p(k), [nodes][iterations]: no node can do its tasks of that iteration faster, whatever their order;
  /// the area bound of all its workers and all kernels.
  std::vector<std::vector<double>> abe_per_node;
  std::vector<double> abe;  // ABE(k): the largest ABE_p(k)
  std::vector<double>
      abe_star;  // ABE*(k): the area bound of all nodes that have tasks in it, as if they shared them
  /// CPB(k): a diagonal, a panel and an update task, each on the fastest worker of the node that is slowest
  /// for it among those with tasks in the iteration; without and with two transfers where there are several.
  std::vector<double> critical_path, critical_path_with_comm;

  /// CABE_p(k), [nodes][iterations]: the sum of ABE_p(1..k).
  [[nodiscard]] std::vector<std::vector<double>> cumulated() const;
  /// SABE_p, [nodes]: the sum of ABE_p over the section's iterations.
  [[nodiscard]] std::vector<double> in_section(Section const& section) const;
};

/// `kinds`: of the machine's kernels. Every kernel that a node needs must run on it.
[[nodiscard]] IterationBounds iteration_bounds(TileMap const& map, Factorization factorization,
                                               Machine const& machine, std::span<TaskKind const> kinds,
                                               FactorizationCosts const& costs);

[[nodiscard]] nlohmann::ordered_json iteration_bounds_json(IterationBounds const& bounds,
                                                           std::span<Section const> sections);

}  // namespace factosim
