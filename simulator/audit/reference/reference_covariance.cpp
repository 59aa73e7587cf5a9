#include "simulator/audit/reference/reference_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "simulator/base/core/split_mix.hpp"

namespace factosim::audit {

namespace {

constexpr int most_sweeps = 60;

/// Makes the columns orthogonal by rotations of pairs: their lengths become the singular values.
/// Source: Hestenes, J. SIAM 6, 1958.
void make_orthogonal(std::vector<std::vector<double>>& columns) {
  std::size_t const n = columns.size();
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        std::vector<double>&a = columns[p], &b = columns[q];
        double aa = 0, bb = 0, ab = 0;
        for (std::size_t i = 0; i < a.size(); ++i) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
        if (std::abs(ab) <= 1e-15 * std::sqrt(aa * bb) || ab == 0) continue;
        rotated = true;
        double const zeta = (bb - aa) / (2 * ab);
        double const t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1, zeta));
        double const c = 1 / std::hypot(1, t), s = c * t;
        for (std::size_t i = 0; i < a.size(); ++i) {
          double const old = a[i];
          a[i] = c * old - s * b[i];
          b[i] = s * old + c * b[i];
        }
      }
  }
}

}  // namespace

ReferenceCovariance::ReferenceCovariance(nlohmann::json const& keys, int nt, int nb)
    : range_(keys.at("range")),
      smoothness_(keys.at("smoothness")),
      samples_(std::min(keys.at("samples").get<int>(), nb)),
      scale_(static_cast<double>(nb) / samples_) {
  std::int64_t const n = std::int64_t{nt} * nb;
  std::int64_t side = 1;
  while (side * side < n) ++side;
  // Quadrant by quadrant: the bits of both coordinates, those of y the higher ones.
  std::multimap<std::vector<bool>, Point> sorted;
  std::uint64_t draws = split_mix(keys.at("seed").get<std::uint64_t>());
  for (std::int64_t i = 0; i < n; ++i) {
    double const u = std::ldexp(static_cast<double>(split_mix(draws++) >> 11), -53);
    double const v = std::ldexp(static_cast<double>(split_mix(draws++) >> 11), -53);
    Point const at{(static_cast<double>(i % side) + 0.5 + 0.8 * u - 0.4) / static_cast<double>(side),
                   (static_cast<double>(i / side) + 0.5 + 0.8 * v - 0.4) / static_cast<double>(side)};
    std::vector<bool> quadrants;
    auto const x = static_cast<std::uint32_t>(at.x * 1073741823.0),
               y = static_cast<std::uint32_t>(at.y * 1073741823.0);
    for (int bit = 29; bit >= 0; --bit) {
      quadrants.push_back((y >> bit & 1U) != 0);
      quadrants.push_back((x >> bit & 1U) != 0);
    }
    sorted.emplace(std::move(quadrants), at);
  }
  std::vector<Point> all;
  for (auto const& [quadrants, at] : sorted) all.push_back(at);
  for (int tile = 0; tile < nt; ++tile)
    for (std::int64_t i = 0; i < samples_; ++i)
      points_.push_back(all[static_cast<std::size_t>(std::int64_t{tile} * nb + i * nb / samples_)]);
}

std::vector<std::vector<double>> ReferenceCovariance::tile(int m, int n) const {
  std::vector<std::vector<double>> out(static_cast<std::size_t>(samples_));
  auto const of = [&](int row, std::size_t i) {
    return points_[static_cast<std::size_t>(row) * static_cast<std::size_t>(samples_) + i];
  };
  for (std::size_t j = 0; j < out.size(); ++j)
    for (std::size_t i = 0; i < out.size(); ++i) {
      Point const a = of(m, i), b = of(n, j);
      double const r = std::hypot(a.x - b.x, a.y - b.y) / range_;
      double value = std::exp(-r);
      if (smoothness_ == 1.5) value *= 1 + r;
      if (smoothness_ == 2.5) value *= 1 + r + r * r / 3;
      out[j].push_back(scale_ * value);
    }
  return out;
}

double ReferenceCovariance::squared_norm(int m, int n) const {
  double sum = 0;
  for (auto const& column : tile(m, n))
    for (double const value : column) sum += value * value;
  return sum;
}

int ReferenceCovariance::rank(int m, int n, double limit) const {
  auto columns = tile(m, n);
  make_orthogonal(columns);
  std::vector<double> squares;  // of singular values
  for (auto const& column : columns) {
    squares.push_back(0);
    for (double const value : column) squares.back() += value * value;
  }
  std::sort(squares.begin(), squares.end());
  double rest = 0;
  std::size_t dropped = 0;
  while (dropped < squares.size() && std::sqrt(rest + squares[dropped]) <= limit) rest += squares[dropped++];
  return static_cast<int>(squares.size() - dropped);
}

int significant_bits(Precision precision) {
  static std::map<Precision, int> const bits{{Precision::double_, 53}, {Precision::single_, 24},
                                             {Precision::tf32, 11},    {Precision::half, 11},
                                             {Precision::bfloat16, 8}, {Precision::fp8, 4}};
  return bits.at(precision);
}

}  // namespace factosim::audit
