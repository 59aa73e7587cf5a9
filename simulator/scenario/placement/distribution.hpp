#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "distributions/het_grid.hpp"
#include "distributions/selected_map.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/scenario/placement/distribution_description.hpp"
#include "simulator/scenario/placement/timed_application.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The partition of the unit square from which a map was derived, and its later changes.
struct PartitionDetails {
  SquarePartition partition;
  double lower_bound = 0;           // of the partition's cost
  std::vector<Section> sections{};  // of 1Dx1D-C
  std::vector<TileMove> moves{};    // of the shuffle
};

/// A heterogeneous grid and its panel.
struct GridDetails {
  ArrangedGrid grid;
  GridPanel panel;
};

/// A partition by the loads of the linear program of the phases.
struct PhaseDetails {
  PartitionDetails partition;
  PhaseLoads loads;
};

/// A map of tiles to nodes, with the intermediate results of the method that computed it.
struct Distribution {
  TileMap map;
  std::string description;  // "block-cyclic 2 x 11"
  std::variant<std::monostate, PartitionDetails, GridDetails, PhaseDetails> details{};
  std::optional<TileMap> generation{};                  // the node that generates each tile, if not its owner
  std::optional<std::uint64_t> redistributed{};         // tiles that differ between two maps
  std::shared_ptr<struct LayerDetails const> layers{};  // null: the map has none

  [[nodiscard]] TileMap const& generation_map() const { return generation ? *generation : map; }
  /// Each returns null if the method has no such details.
  [[nodiscard]] PartitionDetails const* partition() const;
  [[nodiscard]] GridDetails const* grid() const { return std::get_if<GridDetails>(&details); }
  [[nodiscard]] PhaseLoads const* loads() const;
};

/// One layer: its nodes, its part of the iterations, and its map, in which the nodes are numbered as in `nodes`.
struct LayerOfNodes {
  std::vector<std::uint32_t> nodes;
  double share = 0;
  Distribution distribution;
};

/// The layers of a map, in their order.
struct LayerDetails {
  std::vector<LayerOfNodes> layers;
  int consecutive = 1;  // iterations in a row on one layer
  double addition_bandwidth = default_addition_Bps;
};

/// The problem that a map is made for.
struct DistributionRequest {
  int nt = 0;
  int nodes = 0;
  Factorization factorization = Factorization::lu;
  Flops update_flops;                       // of one update task
  bool has_generation = false;              // the application generates its tiles, maybe on other nodes
  std::vector<std::uint32_t> among{};       // the nodes that the map is for, as many as `nodes`; empty: all
  std::optional<TimedApplication> timed{};  // without it the speeds of the nodes are not known
  Judge judge{};  // of maps for all nodes; none: nothing is simulated
};

/// Makes the map. Throws InputError if a node has no timing of some kernel, or if no node can factorize.
[[nodiscard]] Distribution make_distribution(DistributionDescription const& description,
                                             DistributionRequest const& request);

/// Returns the node of each handle, by the main map and, if the graph has phases, by that of generation.
[[nodiscard]] OwnersByPlacement owners_of_handles(TaskGraph const& graph, Distribution const& distribution);

}  // namespace factosim
