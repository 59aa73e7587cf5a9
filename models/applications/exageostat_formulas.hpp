#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "factosim/tile_map.hpp"
#include "models/applications/application.hpp"

namespace factosim {

/// What decides the tasks of ExaGeoStat's iterations besides the number of tiles.
struct ExageostatOptions {
  std::int64_t iterations = 1;
  bool waits_after_each_phase = false, is_asynchronous = true, local_solve = true, all_priorities = true,
       ordered_generation = true;
};

/// The vectors and scalars of ExaGeoStat's iterations on nodes. The handles of the tiles come first, then those of z, of
/// the accumulators, row after row, and of the scalars.
class ExageostatData {
 public:
  /// The sum of the products of a row of tiles on one node.
  struct Accumulator {
    NodeId node;
    HandleId handle;
    int column;  // of the first of its tiles
  };
  /// Two of them for a node: the determinant and the dot product.
  struct Scalars {
    NodeId node;
    HandleId determinant, dot;
  };

  /// `map`: an empty one stands for one node.
  ExageostatData(int nt, bool local_solve, TileMap map);

  [[nodiscard]] HandleId z(int m) const { return HandleId{nt_ * (nt_ + 1) / 2 + m}; }
  [[nodiscard]] NodeId owner(int m, int n) const { return map_.mt > 0 ? map_.at(m, n) : NodeId{0}; }
  /// Of row m, in the order of their columns.
  [[nodiscard]] std::vector<Accumulator> const& accumulators(int m) const {
    return accumulators_[static_cast<std::size_t>(m)];
  }
  /// That of tile (m, k). O(nodes of the row).
  [[nodiscard]] Accumulator const& accumulator(int m, int k) const;
  /// In the order of their handles.
  [[nodiscard]] std::vector<Scalars> const& scalars() const { return scalars_; }
  [[nodiscard]] Scalars const& scalars_of(NodeId node) const {
    return scalars_[place_of_node_[node.index()]];
  }

 private:
  int nt_;
  TileMap map_;
  std::vector<std::vector<Accumulator>> accumulators_;  // [nt][owners left of the diagonal]
  std::vector<Scalars> scalars_;
  std::vector<std::size_t> place_of_node_;  // [nodes] into `scalars_`
};

/// Returns the priority of a task of the factorization by the equations of the paper.
[[nodiscard]] int exageostat_priority(int nt, TaskIndices const& task);

/// Returns the tasks of the application "exageostat". `parameters`, `map`: of its factorization.
[[nodiscard]] std::unique_ptr<TaskFormulas> make_exageostat_formulas(ApplicationParameters const& parameters,
                                                                     ExageostatOptions const& options,
                                                                     TileMap const& map);

}  // namespace factosim
