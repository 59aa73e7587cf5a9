#include "simulator/audit/reference/reference_cholesky.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/split_mix.hpp"

namespace factosim::audit {

namespace {

/// Tiles of a Matérn covariance by its keys: a second derivation of norms and ranks, by sums and Jacobi rotations.
class ReferenceCovariance {
 public:
  ReferenceCovariance(nlohmann::json const& keys, int nt, int nb)
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

  /// Square of the Frobenius norm of tile (m, n), from its samples.
  [[nodiscard]] double squared_norm(int m, int n) const { return tile(m, n).squaredNorm(); }
  /// Number of singular values without which the norm of the rest is at most `limit`.
  [[nodiscard]] int rank(int m, int n, double limit) const {
    // The tile is square, so it needs no QR factorization first. The largest value comes first.
    Eigen::VectorXd const values =
        Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(tile(m, n)).singularValues();
    Eigen::Index out = values.size();
    while (out > 0 && values.tail(values.size() - out + 1).norm() <= limit) --out;
    return static_cast<int>(out);
  }

 private:
  struct Point {
    double x, y;
  };
  /// Covariances of the samples of two rows of tiles, as they stand for the tile.
  [[nodiscard]] Eigen::MatrixXd tile(int m, int n) const {
    auto const of = [&](int row, Eigen::Index i) {
      return points_[static_cast<std::size_t>(row) * static_cast<std::size_t>(samples_) +
                     static_cast<std::size_t>(i)];
    };
    return Eigen::MatrixXd::NullaryExpr(samples_, samples_, [&](Eigen::Index i, Eigen::Index j) {
      Point const a = of(m, i), b = of(n, j);
      double const r = std::hypot(a.x - b.x, a.y - b.y) / range_;
      double value = std::exp(-r);
      if (smoothness_ == 1.5) value *= 1 + r;
      if (smoothness_ == 2.5) value *= 1 + r + r * r / 3;
      return scale_ * value;
    });
  }

  double range_, smoothness_;
  int samples_;
  double scale_;               // of a sampled value
  std::vector<Point> points_;  // [nt][samples]
};

/// Bits of the significand, the leading one included: 53 in double precision.
int significant_bits(Precision precision) {
  static std::map<Precision, int> const bits{{Precision::double_, 53}, {Precision::single_, 24},
                                             {Precision::tf32, 11},    {Precision::half, 11},
                                             {Precision::bfloat16, 8}, {Precision::fp8, 4}};
  return bits.at(precision);
}

}  // namespace

ReferenceFormats::ReferenceFormats(ReferenceProblem const& p, TileMap const& map)
    : p_(p),
      map_(map),
      usual_(*precision_named(p.key("precision"))),
      formats_(place(p.nt, 0), Format{.precision = usual_}) {
  nlohmann::json const& keys = p.keys.at("tile_formats");
  conversion_ = keys.at("conversion");
  if (keys.contains("bands")) by_bands(keys.at("bands"));
  if (keys.contains("file")) by_file(keys.at("file"));
  if (keys.contains("tolerance")) by_tolerance(keys);
}

void ReferenceFormats::by_bands(nlohmann::json const& bands) {
  int begin = 0;
  for (auto const& band : bands) {
    int const end = band.value("below", p_.nt);
    Format const format{*precision_named(band.at("precision").get<std::string>()), band.value("rank", 0)};
    for (int distance = begin; distance < std::min(end, p_.nt); ++distance)
      for (int n = 0; n + distance < p_.nt; ++n) formats_[place(n + distance, n)] = format;
    begin = end;
  }
}

void ReferenceFormats::by_file(std::string const& file) {
  std::istringstream text(read_input_text(file));
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    int m = 0, n = 0, rank = 0;
    std::string precision;
    if (fields >> m >> n >> precision >> rank && m < p_.nt)
      formats_[place(m, n)] = {*precision_named(precision), rank};
  }
}

void ReferenceFormats::by_tolerance(nlohmann::json const& keys) {
  ReferenceCovariance const matrix(keys.at("covariance"), p_.nt, p_.nb);
  int const max_rank = keys.value("max_rank", 0);
  double whole = 0;
  std::vector<double> squares;  // [tiles] of norms
  for (int m = 0; m < p_.nt; ++m)
    for (int n = 0; n <= m; ++n) {
      squares.push_back(matrix.squared_norm(m, n));
      whole += squares.back() * (m > n ? 2 : 1);
    }
  double const limit = keys.at("tolerance").get<double>() * std::sqrt(whole) / p_.nt;
  for (int m = 0; m < p_.nt; ++m)
    for (int n = 0; n <= m; ++n) {
      Format& format = formats_[place(m, n)];
      for (auto const& name : keys.at("precisions")) {
        Precision const precision = *precision_named(name.get<std::string>());
        bool const first = &name == &keys.at("precisions").front();
        if (first || std::ldexp(std::sqrt(squares[place(m, n)]), -significant_bits(precision)) <= limit)
          format.precision = precision;
      }
      if (max_rank == 0 || m == n) continue;
      int const rank = std::max(1, matrix.rank(m, n, limit));
      if (rank > max_rank) continue;
      format.rank = rank;
      if (element_bytes(format.precision) < 4) format.precision = Precision::single_;
    }
}

std::int64_t ReferenceFormats::bytes(int m, int n, Precision precision) const {
  std::int64_t const rows = p_.rows_of_tile(m), columns = p_.rows_of_tile(n), rank = at(m, n).rank;
  return (rank == 0 ? rows * columns : rank * rows + rank * columns) * element_bytes(precision);
}

Precision ReferenceFormats::needed(int k, int row, int column) const {
  Precision const own = at(row, column).precision;
  bool const solves = column == k;
  return solves && own != Precision::double_ ? Precision::single_ : own;
}

std::optional<ReferenceFormats::Copy> ReferenceFormats::read_copy(int m, int k, int row, int column) const {
  Precision const stored = at(m, k).precision, wanted = needed(k, row, column);
  if (stored == wanted) return std::nullopt;
  NodeId const reader = reader_of(k, row, column);
  if (conversion_ == "sender" ||
      (conversion_ == "fewest-bytes" && (reader == map_.at(m, k) || narrows(m, k, reader))))
    return Copy{wanted, NodeId{}};
  return Copy{wanted, reader};
}

/// On layers the updates of an iteration are on its layer, and panels where the tile is.
NodeId ReferenceFormats::reader_of(int k, int row, int column) const {
  if (map_.layers.owner.empty() || column == k) return map_.at(row, column);
  auto const& layer = map_.layers.owner.at(map_.layers.of_iteration.at(static_cast<std::size_t>(k)));
  return layer.at(static_cast<std::size_t>(row) * static_cast<std::size_t>(p_.nt) +
                  static_cast<std::size_t>(column));
}

/// What the node needs of tile (m, k) has fewer bytes than the tile.
bool ReferenceFormats::narrows(int m, int k, NodeId reader) const {
  std::vector<Precision> all;
  auto const add = [&](int row, int column) {
    if (reader_of(k, row, column) != reader) return;
    Precision const wanted = needed(k, row, column);
    if (std::find(all.begin(), all.end(), wanted) == all.end()) all.push_back(wanted);
  };
  for (int i = k + 1; i < p_.nt; ++i) m == k ? add(i, k) : i <= m ? add(m, i) : add(i, m);
  int bytes = 0;
  for (Precision const wanted : all) bytes += element_bytes(wanted);
  return bytes < element_bytes(at(m, k).precision);
}

std::vector<ReferenceFormats::Copy> ReferenceFormats::copies(int m, int k) const {
  std::vector<Copy> out;
  auto const add = [&](int row, int column) {
    if (auto const copy = read_copy(m, k, row, column)) out.push_back(*copy);
  };
  for (int i = k + 1; i < p_.nt; ++i) {
    if (m == k) add(i, k);
    if (m > k && i <= m) add(m, i);
    if (m > k && i > m) add(i, m);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Reference::KernelCost ReferenceFormats::cost(char const* kernel, Precision precision,
                                             std::string const& shape, std::string const& timing,
                                             double flops) const {
  std::string name = kernel + shape;
  if (precision != usual_) name += "_" + std::string(name_of(precision));
  return {.name = name, .flops = flops, .timing = timing, .precision = precision};
}

Reference::KernelCost ReferenceFormats::potrf_cost(int k) const {
  return cost("potrf", at(k, k).precision, "", "potrf", std::pow(p_.nb, 3) / 3);
}

Reference::KernelCost ReferenceFormats::trsm_cost(int k, int m) const {
  auto const [precision, rank] = at(m, k);
  if (rank == 0) return cost("trsm", precision, "", "trsm", std::pow(p_.nb, 3));
  return cost("trsm", precision, "_lr" + std::to_string(rank), "trsm_lr", std::pow(p_.nb, 2) * rank);
}

Reference::KernelCost ReferenceFormats::update_cost(int k, int m, int n) const {
  double const nb = p_.nb;
  auto const [precision, own] = at(m, n);
  int const a = at(m, k).rank, b = at(n, k).rank, most = std::max({own, a, b});
  double const r = most;
  std::string const rank = std::to_string(most);
  double const thin = 2 * nb * nb * r + 4 * nb * r * r;  // a full tile plus (U x) V^T
  double const compressed = 32 * nb * r * r + 157 * r * r * r;
  if (m == n)
    return a == 0 ? cost("syrk", precision, "", "syrk", nb * nb * nb)
                  : cost("syrk", precision, "_lr" + rank, "syrk_lr", thin);
  if (most == 0) return cost("gemm", precision, "", "gemm", 2 * nb * nb * nb);
  bool const both = a > 0 && b > 0, neither = a == 0 && b == 0;
  if (own == 0)
    return both ? cost("gemm", precision, "_dense_2lr" + rank, "gemm_dense_lr", thin)
                : cost("gemm", precision, "_dense_lr" + rank, "gemm_dense_lr", 4 * nb * nb * r);
  if (both) return cost("gemm", precision, "_lr" + rank, "gemm_lr", 36 * nb * r * r + 157 * r * r * r);
  if (neither)
    return cost("gemm", precision, "_lr" + rank + "_2full", "gemm_lr",
                2 * nb * nb * nb + 4 * nb * nb * r + compressed);
  return cost("gemm", precision, "_lr" + rank + "_full", "gemm_lr", 2 * nb * nb * r + compressed);
}

Reference::KernelCost ReferenceFormats::conversion_cost(int m, int k, Precision to) const {
  auto const [from, rank] = at(m, k);
  double const elements = rank > 0 ? 2.0 * p_.nb * rank : std::pow(p_.nb, 2);
  std::string name = "convert_" + std::string(name_of(from)) + "_" + std::string(name_of(to));
  if (rank > 0) name += "_lr" + std::to_string(rank);
  return {.name = name,
          .flops = elements * (element_bytes(from) + element_bytes(to)),
          .timing = "convert",
          .precision = usual_};
}

std::shared_ptr<ReferenceFormats const> ReferenceFormats::of(ReferenceProblem const& p, TileMap const& map,
                                                             std::vector<Reference::KernelCost>& kernels,
                                                             std::int32_t first) {
  if (!p.keys.contains("tile_formats")) return nullptr;
  auto const out = std::make_shared<ReferenceFormats>(p, map);
  out->add_kernels(kernels, first);
  return out;
}

void ReferenceFormats::add_kernels(std::vector<Reference::KernelCost>& kernels, std::int32_t first) {
  for (std::int32_t i = first; i < first + 4; ++i) numbers_[kernels[static_cast<std::size_t>(i)].name] = i;
  auto const add = [&](Reference::KernelCost cost) {
    if (numbers_.emplace(cost.name, static_cast<std::int32_t>(kernels.size())).second)
      kernels.push_back(std::move(cost));
  };
  for (int k = 0; k < p_.nt; ++k) {
    add(potrf_cost(k));
    for (int m = k; m < p_.nt; ++m) {
      if (m > k) add(trsm_cost(k, m));
      for (int n = k + 1; n <= m; ++n) add(update_cost(k, m, n));
      for (Copy const& copy : copies(m, k)) add(conversion_cost(m, k, copy.precision));
    }
  }
}

std::int32_t ReferenceFormats::potrf(int k) const { return numbers_.at(potrf_cost(k).name); }
std::int32_t ReferenceFormats::trsm(int k, int m) const { return numbers_.at(trsm_cost(k, m).name); }
std::int32_t ReferenceFormats::update(int k, int m, int n) const {
  return numbers_.at(update_cost(k, m, n).name);
}
std::int32_t ReferenceFormats::conversion(int m, int k, Precision to) const {
  return numbers_.at(conversion_cost(m, k, to).name);
}

}  // namespace factosim::audit
