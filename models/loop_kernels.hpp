#pragma once

#include <cstdint>

namespace factosim {

/// A data-parallel loop cut into chunks of equal cost, which are what can be handed out. Data that every
/// worker needs in full (a matrix, the measurements, the centres) are there before the loop starts and not
/// counted.
struct LoopCost {
  std::int64_t chunks = 0;
  double work = 0;       // of a chunk: operations
  double bytes_in = 0;   // of a chunk, from the master
  double bytes_out = 0;  // of a chunk, back to it
};

/// C = AB of n x n matrices in single precision: a chunk is so many rows of A and C (the last may be short
/// and counts as a whole one), 2 n^2 operations a row.
[[nodiscard]] LoopCost matmul_loop(std::int64_t n, std::int64_t rows);

/// Inference of a gene regulatory network: all sets of three genes are tried as predictors of a target,
/// O(genes^3), with 4 operations a set and sample. A chunk is what one first gene comes to, when the sets
/// are dealt out evenly.
[[nodiscard]] LoopCost grn_loop(std::int64_t genes, std::int64_t samples);

/// One pass of k-means: each of n points in d dimensions, single precision, goes to the nearest of k
/// centres, 3 d k operations a point. A chunk is so many points; their centres come back.
[[nodiscard]] LoopCost kmeans_loop(std::int64_t points, std::int64_t dimensions, std::int64_t clusters,
                                   std::int64_t points_per_chunk);

}  // namespace factosim
