#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/quantity.hpp"

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

/// How a tile is stored: the precision of its elements, and its rank.
struct TileFormat {
  Precision precision = Precision::double_;
  int rank = 0;  // columns of the two factors whose product the tile is; 0: all elements are stored
  auto operator<=>(TileFormat const&) const = default;
};

/// The format of the tiles (m, n) with m - n < `below`, less those of the bands before.
struct FormatBand {
  int below = 0;
  TileFormat format;
};

/// Formats from a bound of the error: see `formats_by_tolerance`.
struct ToleranceRule {
  double tolerance = 0;               // of the whole matrix, relative to its Frobenius norm
  std::vector<Precision> precisions;  // that tiles may have, the highest first
  int max_rank = 0;                   // of a tile in two factors; 0: all tiles are full
  CovarianceModel covariance;
};

/// Where a tile is converted for kernels that compute in another precision than it is stored in.
enum class ConversionPlace : std::uint8_t {
  sender,    // on its owner, once for each precision; the converted tile is sent
  receiver,  // on each node that reads it, once for each precision; the tile is sent as it is stored
  /// For each node that reads it: on the owner if the copies that the node needs have fewer bytes than the tile, otherwise
  /// on the node.
  fewest_bytes
};

/// The format of each tile of a lower triangle, and what follows from formats that differ.
struct TileFormats {
  std::vector<TileFormat> formats;  // [tiles] row after row
  ConversionPlace conversion = ConversionPlace::sender;

  /// Estimates for kernels without a timing: bytes read and written per second of a conversion, and the rate of kernels
  /// on tiles of low rank in relation to that of gemm on full ones.
  double core_conversion_Bps = 10e9;
  double gpu_conversion_Bps = 500e9;
  double low_rank_efficiency = 1.0 / 3;

  /// Where the formats are from: one of these.
  std::vector<FormatBand> bands{};
  std::filesystem::path file{};
  std::optional<ToleranceRule> tolerance{};

  [[nodiscard]] TileFormat of(int m, int n) const {
    return formats[static_cast<std::size_t>(m) * (static_cast<std::size_t>(m) + 1) / 2 +
                   static_cast<std::size_t>(n)];
  }
};

/// Returns the formats of nt rows of tiles by their distances from the diagonal. The last band has all tiles beyond.
[[nodiscard]] std::vector<TileFormat> formats_by_bands(int nt, std::vector<FormatBand> const& bands);

/// Returns the formats that keep the error of storing the matrix below `tolerance` times its Frobenius norm. Tile (m, n)
/// gets the lowest precision of unit roundoff u with u |A(m,n)| <= tolerance |A| / nt, if none holds the highest; and,
/// if max_rank > 0 and m > n, the smallest rank whose remainder has that norm at most, unless it exceeds max_rank. Tiles in
/// factors have single precision at least.
/// Source: Higham, Mary, "Solving block low-rank linear systems by LU factorization is numerically stable", IMA J. Numer. Anal.
/// 42, 2022, and "Mixed precision algorithms", Acta Numerica 31, 2022, section 8 (precision by the norm of a block).
[[nodiscard]] std::vector<TileFormat> formats_by_tolerance(int nt, int nb, ToleranceRule const& rule);

/// Bytes of a tile of rows x columns in that format: rank (rows + columns) elements in two factors.
[[nodiscard]] Bytes stored_bytes(TileFormat const& format, std::int64_t rows, std::int64_t columns);

/// Half the distance of 1 to the next larger number.
[[nodiscard]] double unit_roundoff(Precision precision);

}  // namespace factosim
