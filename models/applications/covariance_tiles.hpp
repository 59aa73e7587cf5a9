#pragma once

#include <cstdint>
#include <vector>

namespace factosim {

/// Matérn covariance of variance 1 between locations in the unit square. The locations are a square grid, each moved
/// by up to 0.4 of its distance in both directions, in Morton order, as ExaGeoStat makes synthetic ones.
struct CovarianceModel {
  double range = 0.1;       // the distance is divided by it
  double smoothness = 0.5;  // 1/2, 3/2 or 5/2
  std::uint64_t seed = 0;   // of the locations
  int samples = 64;         // rows and columns of a tile that stand for it
};

struct Location {
  double x = 0, y = 0;
};

/// Returns n locations in their order.
[[nodiscard]] std::vector<Location> make_locations(std::int64_t n, std::uint64_t seed);

/// Returns the covariance of two locations, with r = distance / range: exp(-r) for smoothness 1/2, (1 + r) exp(-r) for
/// 3/2, (1 + r + r^2 / 3) exp(-r) for 5/2.
[[nodiscard]] double covariance(CovarianceModel const& model, Location a, Location b);

/// Frobenius norm and singular values of a tile.
struct TileSpectrum {
  double norm = 0;
  std::vector<double> singular_values;  // descending; empty if they were not asked for
};

/// Returns those of the tiles of the lower triangle of nt rows, row after row. Of each tile `samples` rows and columns at even
/// distances are computed, and scaled to nb; with samples >= nb they are the tile itself. O(nt^2 samples^2), with singular
/// values O(nt^2 samples^3).
[[nodiscard]] std::vector<TileSpectrum> tile_spectra(CovarianceModel const& model, int nt, int nb,
                                                     bool singular_values);

}  // namespace factosim
