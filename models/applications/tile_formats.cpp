#include "models/applications/tile_formats.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

/// Returns the smallest rank whose remainder has that norm at most.
int rank_for(std::vector<double> const& singular_values, double remainder) {
  double squares = 0;
  auto rank = static_cast<int>(singular_values.size());
  for (; rank > 0; --rank) {
    double const value = singular_values[static_cast<std::size_t>(rank) - 1];
    squares += value * value;
    if (std::sqrt(squares) > remainder) break;
  }
  return rank;
}

}  // namespace

std::vector<TileFormat> formats_by_bands(int nt, std::vector<FormatBand> const& bands) {
  std::vector<TileFormat> out;
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n <= m; ++n) {
      auto band = bands.begin();
      while (band + 1 != bands.end() && m - n >= band->below) ++band;
      out.push_back(band->format);
    }
  return out;
}

std::vector<TileFormat> formats_by_tolerance(int nt, int nb, ToleranceRule const& rule) {
  std::vector<TileSpectrum> const spectra = tile_spectra(rule.covariance, nt, nb, rule.max_rank > 0);
  double squares = 0;  // of the whole matrix, whose tiles beside the diagonal are there twice
  std::size_t i = 0;
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n <= m; ++n, ++i) squares += (m == n ? 1 : 2) * spectra[i].norm * spectra[i].norm;
  double const per_tile = rule.tolerance * std::sqrt(squares) / nt;

  std::vector<TileFormat> out;
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n <= m; ++n) {
      TileSpectrum const& spectrum = spectra[out.size()];
      TileFormat format{.precision = rule.precisions.front()};
      for (Precision const lower : rule.precisions)
        if (unit_roundoff(lower) * spectrum.norm <= per_tile) format.precision = lower;
      if (rule.max_rank > 0 && m > n) {
        // Rank 0 would leave nothing to store: the tile is kept as one column at least.
        int const rank = std::max(1, rank_for(spectrum.singular_values, per_tile));
        if (rank <= rule.max_rank) format.rank = rank;
      }
      if (format.rank > 0 && element_bytes(format.precision) < element_bytes(Precision::single_))
        format.precision = Precision::single_;
      out.push_back(format);
    }
  return out;
}

Bytes stored_bytes(TileFormat const& format, std::int64_t rows, std::int64_t columns) {
  std::int64_t const elements = format.rank > 0 ? format.rank * (rows + columns) : rows * columns;
  return Bytes{elements * element_bytes(format.precision)};
}

double unit_roundoff(Precision precision) {
  switch (precision) {
    case Precision::double_:
      return 0x1p-53;
    case Precision::single_:
      return 0x1p-24;
    case Precision::tf32:
    case Precision::half:
      return 0x1p-11;
    case Precision::bfloat16:
      return 0x1p-8;
    case Precision::fp8:  // E4M3
      break;
  }
  return 0x1p-4;
}

}  // namespace factosim
