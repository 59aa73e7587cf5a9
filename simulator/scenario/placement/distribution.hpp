#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/het_grid.hpp"
#include "distributions/multiphase_lp.hpp"
#include "distributions/selected_map.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "models/applications/application.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// An application on a cluster whose kernels' timings are known.
struct TimedApplication {
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  Application const& application;
  ApplicationParameters const& parameters;
  RuntimeOptions const& runtime;
};

/// Returns the cluster's workers with the durations of these kernels.
[[nodiscard]] Machine machine_of(TimedApplication const& timed, std::span<Kernel const> kernels);
/// Computes the cost of the factorization's tasks on each node, with the workers that the options leave it;
/// infinity for a kernel without a timing. `transfer` is the time of one unshared tile between two nodes: over
/// the slowest network card, or over the slowest route of a table; `message` is that of the node's card alone.
[[nodiscard]] FactorizationCosts costs_of(TimedApplication const& timed);
/// Returns the groups of equal workers of each node type, with the times of a generation's and a
/// factorization's kernels.
[[nodiscard]] PhaseGroups phase_groups(TimedApplication const& timed);

/// One positive number per node, or nothing: then the rates of the nodes on the update kernel (gemm).
using GivenSpeeds = std::optional<std::vector<double>>;

/// Replacements for parts of the costs that follow from the kernels' timings.
struct GivenCosts {
  std::optional<std::vector<double>> rates{};  // [nodes] flop/s on the update kernel
  std::optional<double> transfer{};            // of one tile between two nodes, seconds
};

/// Bytes that a core moves in a second while it adds tiles, without a timing. An assumption: the bandwidth of a memory over
/// the number of cores that share it.
inline constexpr double default_addition_Bps = 8e9;

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

/// A map of tiles to nodes, with the intermediate results of the method that computed it.
struct Distribution {
  TileMap map;
  std::string description;                      // "block-cyclic 2 x 11"
  std::optional<PartitionDetails> partition{};  // each, if the method has such details
  std::optional<GridDetails> grid{};
  std::optional<PhaseLoads> loads{};                    // of the linear program of the phases
  std::optional<TileMap> generation{};                  // the node that generates each tile, if not its owner
  std::optional<std::uint64_t> redistributed{};         // tiles that differ between two maps
  std::shared_ptr<struct LayerDetails const> layers{};  // null: the map has none

  [[nodiscard]] TileMap const& generation_map() const { return generation ? *generation : map; }
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
  std::string where{};                      // of the distribution in the scenario
  Judge judge{};                            // of maps for all nodes; none: nothing is simulated
  TileMap const* factorization_map = nullptr;  // for a distribution of generation; null for others
};

/// The work of nodes that are swapped pair by pair on a grid, those of one speed with others only.
struct GridExchanges {
  double nodes = 0;        // 0: none are swapped
  std::size_t speeds = 0;  // different ones; 0: those of the platform's nodes
};

/// A way to make a map, as a scenario describes it, checked as far as that needs no map.
struct DistributionMethod {
  std::function<Distribution(DistributionRequest const&)> map;  // never empty
  bool has_layers = false;                                      // of the map
  bool decides_generation = false;                              // it says where tiles are generated, too
  GridExchanges exchanges{};
  std::string where{};  // in the scenario, for errors that are only found when the map is made

  /// Makes the map. Throws InputError if a node has no timing of some kernel, or if no node can factorize.
  [[nodiscard]] Distribution make(DistributionRequest request) const {
    request.where = where;
    return map(request);
  }
};

/// A scenario's "distribution", checked as far as that needs no map.
struct DistributionDescription {
  DistributionMethod main;
  std::optional<DistributionMethod> generation{};
};

/// Makes the map, with that of generation. Throws as DistributionMethod::make.
[[nodiscard]] Distribution make_distribution(DistributionDescription const& description,
                                             DistributionRequest const& request);

// ---- for methods: what they are told of the nodes that the map is for ----

/// Returns the costs by the kernels' timings, of a request that has them; infinity where there is no timing.
[[nodiscard]] FactorizationCosts timed_costs(DistributionRequest const& request);
/// Returns the costs by timings, scaled to the given rates. Throws InputError if a node has no timing of some kernel.
[[nodiscard]] FactorizationCosts costs_of_nodes(DistributionRequest const& request, GivenCosts const& given);
/// Returns the given speeds, or the rates of the nodes on the update. Throws as `costs_of_nodes`.
[[nodiscard]] std::vector<double> speeds_of_nodes(DistributionRequest const& request,
                                                  GivenSpeeds const& given);
/// Returns the sum of the rates.
[[nodiscard]] double total_speed(DistributionRequest const& request);
/// Returns the judge of maps for these nodes; it refers to the request.
[[nodiscard]] Judge judge_among(DistributionRequest const& request);
/// Returns the partition, with the least cost that one by these speeds can have.
[[nodiscard]] PartitionDetails cut_by(std::vector<double> const& speeds, SquarePartition partition);

/// Returns the node of each handle, by the main map and, if the graph has phases, by that of generation.
[[nodiscard]] OwnersByPlacement owners_of_handles(TaskGraph const& graph, Distribution const& distribution);

}  // namespace factosim
