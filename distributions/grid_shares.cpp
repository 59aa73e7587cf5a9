#include "distributions/grid_arrangement.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

double sum(std::vector<double> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// Edge of the bipartite graph between row i and column j.
struct Edge {
  int i = 0, j = 0;
};

/// A feasible spanning tree and its shares.
class ShareTree {
 public:
  ShareTree(std::vector<double> times, Grid grid)
      : grid_(grid), times_(std::move(times)), side_(static_cast<std::size_t>(grid.p + grid.q)) {}

  /// Effect of scaling the rows and columns of one part against the other part.
  struct Shift {
    int part = 1;          // value of side_ of the scaled part
    double factor = 0;     // multiplies its rows and divides its columns
    Edge entering{};       // edge that becomes tight
    double objective = 0;  // objective after the exchange; 0: no edge enters
  };

  /// Builds a spanning tree from the edges that are tight for `shares`. While they form several components,
  /// scales one component against the others, up or down, whichever gives the better objective, until another
  /// edge becomes tight and joins two components.
  void start(GridShares shares) {
    shares_ = std::move(shares);
    edges_.clear();
    std::iota(side_.begin(), side_.end(), 0);  // component of each row and column
    for (int i = 0; i < grid_.p; ++i)
      for (int j = 0; j < grid_.q; ++j)
        if (work(i, j) >= 1 - tight_within && side_[row(i)] != side_[column(j)]) join({i, j});
    while (edges_.size() + 1 < side_.size()) {
      auto const parts = side_;
      for (int& side : side_) side = side == 0 ? 1 : 0;
      Shift const down = shift_of_part(1), up = shift_of_part(0);
      Shift const& best = up.objective > down.objective ? up : down;
      apply(best);
      side_ = parts;
      join(best.entering);
    }
  }

  /// Computes the exchange of edge number e; leaves the components in side_ for `apply`.
  Shift exchange(std::size_t e) {
    std::fill(side_.begin(), side_.end(), 0);
    mark(row(edges_[e].i), e);
    return shift_of_part(1);
  }

  void apply(Shift const& shift) {
    for (int i = 0; i < grid_.p; ++i)
      if (side_[row(i)] == shift.part) shares_.r[row(i)] *= shift.factor;
    for (int j = 0; j < grid_.q; ++j)
      if (side_[column(j)] == shift.part) shares_.c[static_cast<std::size_t>(j)] /= shift.factor;
  }
  void replace(std::size_t e, Edge entering) { edges_[e] = entering; }

  /// Returns the shares for which the tree's edges are tight at these times, scaled down where other edges
  /// are violated. r_1 = 1.
  [[nodiscard]] GridShares solve(std::span<double const> times) {
    std::fill(side_.begin(), side_.end(), 0);
    GridShares out{std::vector<double>(static_cast<std::size_t>(grid_.p), 1.0),
                   std::vector<double>(static_cast<std::size_t>(grid_.q), 1.0)};
    side_[0] = 1;
    for (bool more = true; more;) {
      more = false;
      for (Edge const& e : edges_) {
        if (side_[row(e.i)] == side_[column(e.j)]) continue;
        double const time = times[place(e.i, e.j)];
        if (side_[row(e.i)] == 1)
          out.c[static_cast<std::size_t>(e.j)] = 1 / (out.r[row(e.i)] * time);
        else
          out.r[row(e.i)] = 1 / (out.c[static_cast<std::size_t>(e.j)] * time);
        side_[row(e.i)] = side_[column(e.j)] = 1;
        more = true;
      }
    }
    for (int j = 0; j < grid_.q; ++j)
      for (int i = 0; i < grid_.p; ++i)
        out.c[static_cast<std::size_t>(j)] =
            std::min(out.c[static_cast<std::size_t>(j)], 1 / (out.r[row(i)] * times[place(i, j)]));
    return out;
  }

  [[nodiscard]] std::size_t edge_count() const { return edges_.size(); }
  [[nodiscard]] std::vector<Edge> const& edges() const { return edges_; }
  [[nodiscard]] GridShares const& shares() const { return shares_; }
  void restore(std::vector<Edge> const& edges) {
    edges_ = edges;
    shares_ = solve(times_);
  }
  /// One bit per grid place.
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 0;
    for (Edge const& e : edges_) bits |= std::uint64_t{1} << place(e.i, e.j);
    return bits;
  }

 private:
  static constexpr double tight_within = 1e-12;

  [[nodiscard]] std::size_t place(int i, int j) const { return grid_.place(i, j); }
  [[nodiscard]] static std::size_t row(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::size_t column(int j) const {
    return static_cast<std::size_t>(grid_.p) + static_cast<std::size_t>(j);
  }
  [[nodiscard]] double work(int i, int j) const {
    return shares_.r[row(i)] * times_[place(i, j)] * shares_.c[static_cast<std::size_t>(j)];
  }

  void join(Edge e) {
    int const from = side_[column(e.j)], to = side_[row(e.i)];
    std::replace(side_.begin(), side_.end(), std::max(from, to), std::min(from, to));
    edges_.push_back(e);
  }

  /// Sets side_ to 1 for the vertices that the tree without edge `but` connects to `vertex`.
  void mark(std::size_t vertex, std::size_t but) {
    side_[vertex] = 1;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        int& a = side_[row(edges_[e].i)];
        int& b = side_[column(edges_[e].j)];
        if (e == but || a == b) continue;
        a = b = 1;
        more = true;
      }
    }
  }

  /// Scales the rows of the part down and its columns up until an edge from a row of the other part to one
  /// of its columns is tight.
  [[nodiscard]] Shift shift_of_part(int part) const {
    double rows_in = 0, rows_out = 0, columns_in = 0, columns_out = 0;
    for (int i = 0; i < grid_.p; ++i) (side_[row(i)] == part ? rows_in : rows_out) += shares_.r[row(i)];
    Shift shift{.part = part};
    for (int j = 0; j < grid_.q; ++j) {
      double const share = shares_.c[static_cast<std::size_t>(j)];
      if (side_[column(j)] != part) {
        columns_out += share;
        continue;
      }
      columns_in += share;
      for (int i = 0; i < grid_.p; ++i)
        if (side_[row(i)] != part && work(i, j) > shift.factor) {
          shift.factor = work(i, j);
          shift.entering = {i, j};
        }
    }
    if (shift.factor > 0)
      shift.objective = (rows_in * shift.factor + rows_out) * (columns_in / shift.factor + columns_out);
    return shift;
  }

  Grid grid_;
  std::vector<double> times_;  // [p][q]
  GridShares shares_;
  std::vector<Edge> edges_;  // [p + q - 1]
  std::vector<int> side_;    // [p + q] rows, then columns: scratch
};

/// Perturbs the times so that no two trees are equally tight.
std::vector<double> without_ties(std::span<double const> times) {
  constexpr double relative = 1e-9;
  std::vector<double> out;
  std::uint64_t state = 0;
  for (double const time : times) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    out.push_back(time * (1 + relative * (static_cast<double>(state >> 11U) * 0x1p-53)));
  }
  return out;
}

void expect_times([[maybe_unused]] std::span<double const> times, [[maybe_unused]] Grid grid) {
  FACTOSIM_EXPECT(grid.p >= 1 && grid.q >= 1 &&
                      times.size() == static_cast<std::size_t>(grid.p) * static_cast<std::size_t>(grid.q),
                  "a cycle-time for each place of a grid");
  FACTOSIM_EXPECT(std::ranges::all_of(times, [](double t) { return t > 0 && std::isfinite(t); }),
                  "cycle-times above 0");
}

}  // namespace

double GridShares::objective() const { return sum(r) * sum(c); }

double GridShares::mean_workload(std::span<double const> times) const {
  double total = 0;
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < c.size(); ++j) total += r[i] * times[i * c.size() + j] * c[j];
  return total / static_cast<double>(r.size() * c.size());
}

GridShares with_largest_columns(std::vector<double> r, std::span<double const> times) {
  std::size_t const q = times.size() / r.size();
  GridShares shares{std::move(r), {}};
  for (std::size_t j = 0; j < q; ++j) {
    double longest = 0;
    for (std::size_t i = 0; i < shares.r.size(); ++i)
      longest = std::max(longest, shares.r[i] * times[i * q + j]);
    shares.c.push_back(1 / longest);
  }
  return shares;
}

GridShares best_shares(std::span<double const> times, Grid grid) {
  expect_times(times, grid);
  FACTOSIM_ALWAYS(times.size() <= 64, "a grid of at most 64 nodes where all trees are visited");
  std::vector<double> const distinct = without_ties(times);
  ShareTree tree(distinct, grid);
  tree.start(with_largest_columns(std::vector<double>(static_cast<std::size_t>(grid.p), 1.0), distinct));
  GridShares best = tree.solve(times);
  std::vector<std::vector<Edge>> waiting{tree.edges()};
  std::unordered_set<std::uint64_t> known{tree.bits()};
  while (!waiting.empty()) {
    std::vector<Edge> const edges = std::move(waiting.back());
    waiting.pop_back();
    tree.restore(edges);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      ShareTree::Shift const shift = tree.exchange(e);
      if (shift.objective == 0) continue;
      tree.replace(e, shift.entering);
      if (known.insert(tree.bits()).second) {
        waiting.push_back(tree.edges());
        if (shift.objective > best.objective() * (1 - 1e-6))
          if (GridShares found = tree.solve(times); found.objective() > best.objective())
            best = std::move(found);
      }
      tree.replace(e, edges[e]);
    }
  }
  return best;
}

GridShares ascend_shares(std::span<double const> times, Grid grid, GridShares start) {
  expect_times(times, grid);
  constexpr double min_gain = 1e-12;
  ShareTree tree(std::vector<double>(times.begin(), times.end()), grid);
  tree.start(std::move(start));
  for (bool better = true; better;) {
    better = false;
    double const now = tree.shares().objective();
    for (std::size_t e = 0; e < tree.edge_count() && !better; ++e) {
      ShareTree::Shift const shift = tree.exchange(e);
      better = shift.objective > now * (1 + min_gain);
      if (!better) continue;
      tree.apply(shift);
      tree.replace(e, shift.entering);
    }
  }
  return tree.solve(times);
}

GridShares rank_1_shares(std::span<double const> times, Grid grid) {
  expect_times(times, grid);
  Eigen::MatrixXd inverse(grid.p, grid.q);
  for (int i = 0; i < grid.p; ++i)
    for (int j = 0; j < grid.q; ++j) inverse(i, j) = 1 / times[grid.place(i, j)];
  // Made square by zeros, the matrix needs no QR factorization first.
  int const n = std::max(grid.p, grid.q);
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(n, n);
  square.topLeftCorner(grid.p, grid.q) = inverse;
  Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> const svd(
      square, Eigen::ComputeFullU | Eigen::ComputeFullV);
  // The singular vectors of a positive matrix have entries of one sign (Perron, Frobenius); which sign is
  // arbitrary.
  Eigen::ArrayXd r = svd.singularValues()(0) * svd.matrixU().col(0).head(grid.p).array().abs();
  Eigen::ArrayXd c = svd.matrixV().col(0).head(grid.q).array().abs();
  c /= ((r.matrix() * c.matrix().transpose()).array() / inverse.array()).colwise().maxCoeff().transpose();
  r /= ((r.matrix() * c.matrix().transpose()).array() / inverse.array()).rowwise().maxCoeff();
  return {{r.begin(), r.end()}, {c.begin(), c.end()}};
}

}  // namespace factosim
