#include "models/applications/tile_formats.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "simulator/base/core/split_mix.hpp"

namespace factosim {

namespace {

/// Returns the Morton code of a location in the unit square: the bits of both coordinates, one after the other.
std::uint64_t morton_code(Location a) {
  auto const coordinate = [](double x) {
    return static_cast<std::uint64_t>(std::clamp(x, 0.0, 1.0) * static_cast<double>((1U << 30) - 1));
  };
  std::uint64_t const x = coordinate(a.x), y = coordinate(a.y);
  std::uint64_t code = 0;
  for (unsigned bit = 0; bit < 30; ++bit)
    code |= (x >> bit & 1U) << (2 * bit) | (y >> bit & 1U) << (2 * bit + 1);
  return code;
}

/// Returns the singular values of a square matrix, the largest first: the upper half of the eigenvalues of [0 A; A' 0]. Their
/// errors are some roundings of the largest one. Eigen's BDCSVD was off by 7e-7 of it on a tile of 64 samples.
std::vector<double> singular_values_of(Eigen::MatrixXd const& matrix) {
  Eigen::Index const n = matrix.rows();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  both.topRightCorner(n, n) = matrix;
  both.bottomLeftCorner(n, n) = matrix.transpose();
  Eigen::VectorXd const values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(both, Eigen::EigenvaluesOnly).eigenvalues();
  std::vector<double> out;
  for (Eigen::Index i = 2 * n; i-- > n;) out.push_back(std::max(0.0, values[i]));
  return out;
}

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

std::vector<Location> make_locations(std::int64_t n, std::uint64_t seed) {
  auto const side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  std::uint64_t counter = split_mix(seed);
  auto const moved = [&](std::int64_t place) {
    double const uniform = static_cast<double>(split_mix(counter++) >> 11) * 0x1p-53;  // in [0, 1[
    return (static_cast<double>(place) + 0.5 + 0.8 * uniform - 0.4) / static_cast<double>(side);
  };
  std::vector<std::pair<std::uint64_t, Location>> coded;
  for (std::int64_t i = 0; i < n; ++i) {
    Location a;
    a.x = moved(i % side);
    a.y = moved(i / side);
    coded.emplace_back(morton_code(a), a);
  }
  std::stable_sort(coded.begin(), coded.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  std::vector<Location> out;
  for (auto const& [code, location] : coded) out.push_back(location);
  return out;
}

double covariance(CovarianceModel const& model, Location a, Location b) {
  double const r = std::hypot(a.x - b.x, a.y - b.y) / model.range;
  double const polynomial = model.smoothness == 0.5 ? 1 : model.smoothness == 1.5 ? 1 + r : 1 + r + r * r / 3;
  return polynomial * std::exp(-r);
}

std::vector<TileSpectrum> tile_spectra(CovarianceModel const& model, int nt, int nb, bool singular_values) {
  std::vector<Location> const all = make_locations(std::int64_t{nt} * nb, model.seed);
  int const samples = std::min(model.samples, nb);
  double const scale = static_cast<double>(nb) / samples;
  auto const sample = [&](int tile, int i) {
    return all[static_cast<std::size_t>(std::int64_t{tile} * nb + std::int64_t{i} * nb / samples)];
  };
  std::vector<TileSpectrum> out;
  Eigen::MatrixXd tile(samples, samples);
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n <= m; ++n) {
      for (int j = 0; j < samples; ++j)
        for (int i = 0; i < samples; ++i) tile(i, j) = covariance(model, sample(m, i), sample(n, j));
      TileSpectrum& spectrum = out.emplace_back();
      spectrum.norm = scale * tile.norm();
      if (!singular_values) continue;
      for (double const value : singular_values_of(tile)) spectrum.singular_values.push_back(scale * value);
    }
  return out;
}

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
