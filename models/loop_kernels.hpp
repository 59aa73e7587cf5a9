#pragma once

#include <cstdint>

namespace factosim {

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
