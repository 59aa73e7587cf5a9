#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "distributions/het_grid.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/placement/grid_methods.hpp"

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

struct HeterogeneousGrid {
  Grid grid;
  GridMethod const* method = nullptr;  // never null; into grid_methods()
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

using DistributionMethod =
    std::variant<BlockCyclic, OneByOne, ConstrainedOneByOne, HeterogeneousGrid, KalinovLastovetsky,
                 SymmetricBlockCyclic, GeneralisedBlockCyclic, MapFromFile, Redistribution, LinearProgram>;

/// A method with its location in the scenario, for errors that are only found when the map is made.
struct LocatedMethod {
  DistributionMethod method;
  std::string where;
};

/// A distribution of generation: Algorithm 2 from the main map to a number of tiles per node, or a method.
using GenerationMethod = std::variant<std::vector<std::uint64_t>, LocatedMethod>;

/// A scenario's "distribution", checked as far as that needs no map.
struct DistributionDescription {
  LocatedMethod main;
  std::optional<GenerationMethod> generation{};
};

}  // namespace factosim
