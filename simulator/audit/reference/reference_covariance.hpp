#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim::audit {

/// Tiles of a Matérn covariance by its keys: a second derivation of norms and ranks, by sums and one-sided Jacobi rotations.
class ReferenceCovariance {
 public:
  ReferenceCovariance(nlohmann::json const& keys, int nt, int nb);

  /// Square of the Frobenius norm of tile (m, n), from its samples.
  [[nodiscard]] double squared_norm(int m, int n) const;
  /// Number of singular values without which the norm of the rest is at most `limit`.
  [[nodiscard]] int rank(int m, int n, double limit) const;

 private:
  struct Point {
    double x, y;
  };
  /// Covariances of the samples of two rows of tiles, by columns, as they stand for the tile.
  [[nodiscard]] std::vector<std::vector<double>> tile(int m, int n) const;

  double range_, smoothness_;
  int samples_;
  double scale_;               // of a sampled value
  std::vector<Point> points_;  // [nt][samples]
};

/// Bits of the significand, the leading one included: 53 in double precision.
[[nodiscard]] int significant_bits(Precision precision);

}  // namespace factosim::audit
