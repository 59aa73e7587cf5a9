#include "models/loop_kernels.hpp"

namespace factosim {

namespace {

constexpr double single_bytes = 4, index_bytes = 4, score_bytes = 16;

std::int64_t pieces(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

}  // namespace

LoopCost matmul_loop(std::int64_t n, std::int64_t rows) {
  auto const size = static_cast<double>(n), height = static_cast<double>(rows);
  double const bytes = height * size * single_bytes;
  return {.chunks = pieces(n, rows), .work = 2 * size * size * height, .bytes_in = bytes, .bytes_out = bytes};
}

LoopCost grn_loop(std::int64_t genes, std::int64_t samples) {
  auto const n = static_cast<double>(genes), s = static_cast<double>(samples);
  constexpr double per_sample = 4;
  return {.chunks = genes,
          .work = (n - 1) * (n - 2) / 6 * s * per_sample,
          .bytes_in = index_bytes,
          .bytes_out = score_bytes};
}

LoopCost kmeans_loop(std::int64_t points, std::int64_t dimensions, std::int64_t clusters,
                     std::int64_t points_per_chunk) {
  auto const d = static_cast<double>(dimensions), k = static_cast<double>(clusters);
  auto const each = static_cast<double>(points_per_chunk);
  return {.chunks = pieces(points, points_per_chunk),
          .work = 3 * d * k * each,
          .bytes_in = each * d * single_bytes,
          .bytes_out = each * index_bytes};
}

}  // namespace factosim
