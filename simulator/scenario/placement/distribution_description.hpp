#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "distributions/grid_arrangement.hpp"
#include "distributions/het_grid.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "distributions/triangle_blocks.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/base/plugin/plugin_distribution.hpp"

namespace factosim {

/// One positive number per node, or nothing: then the rates of the nodes on the update kernel (gemm).
using GivenSpeeds = std::optional<std::vector<double>>;

/// Replacements for parts of the costs that follow from the kernels' timings.
struct GivenCosts {
  std::optional<std::vector<double>> rates;  // [nodes] flop/s on the update kernel
  std::optional<double> transfer;            // of one tile between two nodes, seconds
};

struct BlockCyclic {
  Grid grid;
};

struct OneByOne {
  GivenSpeeds speeds;
  bool nagamochi_abe = false;  // partition of Nagamochi and Abe instead of one of columns
  TieRule tie = TieRule::highest;
};

/// 1Dx1D-C, and 1Dx1D-C+S with `shuffle`.
struct ConstrainedOneByOne {
  GivenSpeeds speeds;
  GivenCosts costs;
  TieRule tie = TieRule::highest;
  std::optional<ShuffleOptions> shuffle{};
};

/// 1Dx1D-L: the best member of their family, by simulations.
struct SelectedOneByOne {
  GivenCosts costs;
  std::optional<int> simulations{};  // none: a number that costs seconds
};

/// A method that arranges nodes of unequal speed on a grid.
struct GridMethod {
  char const* name;
  ArrangedGrid (*arrange)(std::span<double const>, Grid);
  int max_places = INT32_MAX;  // maximum number of places for which it takes acceptable time
};
/// All methods; the first is the default.
inline constexpr std::array grid_methods{
    GridMethod{"exchanges", arrange_by_exchanges},
    GridMethod{"exact", arrange_exactly, 20},
    GridMethod{"heuristic", arrange_by_rank_1},
    GridMethod{"as-given", arrange_as_given},
};

struct HeterogeneousGrid {
  Grid grid;
  GridMethod const* method = nullptr;  // never null; into grid_methods
  GivenSpeeds cycle_times;             // [nodes] seconds of one update; without them: from the rates
  Panel panel;
  PanelOrder order = PanelOrder::one_dimensional;
};

struct KalinovLastovetsky {
  Grid grid;
  GivenSpeeds speeds;
  Panel panel;
};

struct SymmetricBlockCyclic {
  SbcVariant variant = SbcVariant::extended;
  int r = 0;
};

struct GeneralisedBlockCyclic {};

struct TriangleBlocks {
  TrianglePlane plane;
};

struct MapFromFile {
  TileMap map;
  std::string file;  // as in the scenario
};

/// Algorithm 2 from a map to a number of tiles per node.
struct Redistribution {
  TileMap from;
  std::vector<std::uint64_t> target;  // [nodes]
};

/// The linear program of an application's two phases.
struct LinearProgram {
  std::optional<std::string> gpu_nodes_only;  // only nodes with GPUs factorize; the location of that key
  TieRule tie = TieRule::highest;
};

/// Bytes that a core moves in a second while it adds tiles, without a timing. An assumption: the bandwidth of a memory over
/// the number of cores that share it.
inline constexpr double default_addition_Bps = 8e9;

/// A map of the whole matrix for each layer of nodes, see `layered`.
struct Layered {
  std::vector<struct LayerMethod> layers;
  std::optional<std::vector<double>> shares{};  // [layers] of the iterations; none: by the rates of the nodes
  int consecutive = 1;                          // iterations in a row on one layer
  std::optional<std::uint32_t> panels{};        // the layer of all panels; none: that of the iteration
  double addition_bandwidth = default_addition_Bps;
};

using DistributionMethod =
    std::variant<BlockCyclic, OneByOne, ConstrainedOneByOne, SelectedOneByOne, HeterogeneousGrid,
                 KalinovLastovetsky, SymmetricBlockCyclic, GeneralisedBlockCyclic, TriangleBlocks, Layered,
                 MapFromFile, Redistribution, LinearProgram, PluginDistribution>;

/// A method with its location in the scenario, for errors that are only found when the map is made.
struct LocatedMethod {
  DistributionMethod method;
  std::string where;
};

/// The distribution of one layer among its nodes.
struct LayerMethod {
  LocatedMethod method;
  std::vector<std::uint32_t> nodes;  // ascending
};

/// A distribution of generation: Algorithm 2 from the main map to a number of tiles per node, or a method.
using GenerationMethod = std::variant<std::vector<std::uint64_t>, LocatedMethod>;

/// A scenario's "distribution", checked as far as that needs no map.
struct DistributionDescription {
  LocatedMethod main;
  std::optional<GenerationMethod> generation{};
};

}  // namespace factosim
