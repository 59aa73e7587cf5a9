#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// Duration of a block of a data-parallel loop on a processing unit as a function of the work in it
/// (operations or another unit). Strictly increasing.
struct CostCurve {
  enum class Type : std::uint8_t {
    linear,  // startup + work / rate
    saturating,  // startup + work / (rate (1 - exp(-work / ramp))): an accelerator, slow on small blocks. It reaches 63 % of
    // its rate at `ramp` and 95 % at 3 `ramp`
    samples  // piecewise linear between measured points, extrapolated at both ends, and >= 0
  };
  Type type = Type::linear;
  Seconds startup{0};
  double rate = 0;                 // work per second
  double ramp = 0;                 // work
  std::vector<double> work{};      // strictly increasing, > 0; at least two
  std::vector<Seconds> seconds{};  // strictly increasing, > 0

  /// Throws std::invalid_argument with problem, reason and remedy if the curve is invalid: a speed of 0, a
  /// negative time, a duration that does not increase with the work.
  void check() const;
  /// Duration of a block with that work, > 0.
  [[nodiscard]] Seconds duration(double work_of_block) const;
};

/// Costs of blocks of data-parallel loops on whole CPUs and accelerators, by node type: a
/// `factosim-unit-costs` file.
struct UnitCosts {
  struct Unit {
    std::string unit_class;                    // "cpu", "gpu", "phi"
    std::string model;                         // product name
    std::map<std::string, CostCurve> kernels;  // by kernel of the loop
  };
  using Machine = std::map<std::string, Unit>;  // by name within the node: "cpu", "cuda0", ...

  std::string file;
  bool estimate = false;
  std::string provenance;
  std::map<std::string, Machine> machines;  // by node type
};

/// The keys of such a file, and of a unit in it.
[[nodiscard]] Object<UnitCosts> const& object_of(UnitCosts const* any);
[[nodiscard]] Object<UnitCosts::Unit> const& object_of(UnitCosts::Unit const* any);

/// Reads such a file strictly. Throws InputError for a speed of 0, a negative time, or a curve that is not
/// monotone.
[[nodiscard]] UnitCosts read_unit_costs(std::filesystem::path const& file);

/// Cost of a data-parallel loop that is divided into chunks of equal cost, the unit of distribution. Data
/// that every worker needs completely (a matrix, the measurements, the centres) is present before the loop
/// starts and not counted.
struct LoopCost {
  std::int64_t chunks = 0;
  double work = 0;       // operations per chunk
  double bytes_in = 0;   // per chunk, from the master
  double bytes_out = 0;  // per chunk, to the master
};

/// C = AB of n x n matrices in single precision: a chunk is the given number of rows of A and C (a shorter
/// last chunk counts as a complete one), 2 n^2 operations per row.
[[nodiscard]] LoopCost matmul_loop(std::int64_t n, std::int64_t rows);

/// Inference of a gene regulatory network: all sets of three genes are tried as predictors of a target,
/// O(genes^3), with 4 operations per set and sample. A chunk is the share of one first gene if the sets are
/// distributed evenly.
[[nodiscard]] LoopCost grn_loop(std::int64_t genes, std::int64_t samples);

/// One pass of k-means: n points in d dimensions, single precision, are assigned to the nearest of k centres,
/// 3 d k operations per point. A chunk is the given number of points and returns their centres.
[[nodiscard]] LoopCost kmeans_loop(std::int64_t points, std::int64_t dimensions, std::int64_t clusters,
                                   std::int64_t points_per_chunk);

}  // namespace factosim
