#include "distributions/grid_arrangement.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_exact_places = 64;

/// Returns the fastest p q nodes, fastest first.
std::vector<std::uint32_t> fastest_first(std::span<double const> times, Grid grid) {
  auto const places = static_cast<std::size_t>(grid.p) * static_cast<std::size_t>(grid.q);
  FACTOSIM_EXPECT(grid.p >= 1 && grid.q >= 1 && times.size() >= places, "a node for each place of a grid");
  std::vector<std::uint32_t> nodes = ascending(times);
  nodes.resize(places);
  return nodes;
}

std::vector<double> times_of(std::vector<std::uint32_t> const& nodes, std::span<double const> times) {
  std::vector<double> out;
  out.reserve(nodes.size());
  for (std::uint32_t const node : nodes) out.push_back(times[node]);
  return out;
}

/// Assigns the nodes, fastest first, to the places in descending order of r_i c_j.
std::vector<std::uint32_t> sorted_like(GridShares const& shares, std::vector<std::uint32_t> const& fastest) {
  std::size_t const q = shares.c.size();
  std::vector<double> sizes;
  for (std::size_t i = 0; i < fastest.size(); ++i) sizes.push_back(shares.r[i / q] * shares.c[i % q]);
  std::vector<std::uint32_t> const places = descending(sizes);
  std::vector<std::uint32_t> nodes(fastest.size());
  for (std::size_t i = 0; i < places.size(); ++i) nodes[places[i]] = fastest[i];
  return nodes;
}

ArrangedGrid arranged(Grid grid, std::vector<std::uint32_t> nodes, std::span<double const> times,
                      std::function<GridShares(std::span<double const>)> const& shares_of) {
  ArrangedGrid out{.grid = grid, .nodes = std::move(nodes), .times = {}, .shares = {}, .history = {}};
  out.times = times_of(out.nodes, times);
  out.shares = shares_of(out.times);
  out.best_objective = out.objective();
  out.history = {out.best_objective};
  return out;
}

GridShares ascended(std::span<double const> times, Grid grid) {
  return ascend_shares(times, grid, rank_1_shares(times, grid));
}

/// Branch and bound that places nodes, fastest first, on the corners of a Young diagram.
class ExactArrangement {
 public:
  ExactArrangement(std::span<double const> times, Grid grid, ArrangedGrid start)
      : grid_(grid),
        times_(times),
        fastest_(fastest_first(times, grid)),
        lengths_(static_cast<std::size_t>(grid.p), 0),
        placed_(fastest_.size()),
        best_(std::move(start)) {
    for (std::uint32_t const node : fastest_) total_speed_ += 1 / times[node];
  }

  ArrangedGrid find() && {
    place(0, 0);
    best_.best_objective = best_.objective();
    best_.history = {best_.best_objective};
    best_.iterations = 0;
    best_.converged = true;
    best_.steps.clear();
    return std::move(best_);
  }

 private:
  static constexpr double min_gain = 1e-12;

  /// Places node number `next`, fastest first. Nodes of equal speed are interchangeable, so each is placed
  /// behind its predecessor (`after`) in row-major order.
  void place(std::size_t next, std::size_t after) {
    if (next == fastest_.size()) return;
    double const time = times_[fastest_[next]];
    bool const same_speed_as_previous = next > 0 && times_[fastest_[next - 1]] == time;
    for (int i = 0; i < grid_.p; ++i) {
      int const j = lengths_[static_cast<std::size_t>(i)];
      bool const is_corner = j < grid_.q && (i == 0 || lengths_[static_cast<std::size_t>(i - 1)] > j);
      std::size_t const here = grid_.place(i, j);
      if (!is_corner || (same_speed_as_previous && here < after)) continue;
      if (grid_.p == grid_.q && next == 1 && i == 1) continue;  // the transpose of what begins with row 0
      placed_[here] = fastest_[next];
      ++lengths_[static_cast<std::size_t>(i)];
      if (may_be_better(i, j)) place(next + 1, here);
      --lengths_[static_cast<std::size_t>(i)];
    }
  }

  /// Returns whether an arrangement with these places could beat the best one. A complete grid that does
  /// becomes the best one.
  bool may_be_better(int i, int j) {
    bool const whole = i == grid_.p - 1 && j == grid_.q - 1;
    if (!whole && (i == 0 || j == 0)) return true;  // a single row or column is never idle
    std::vector<double> rectangle;
    double speed = 0;
    for (int m = 0; m <= i; ++m)
      for (int n = 0; n <= j; ++n) {
        rectangle.push_back(times_[placed_[grid_.place(m, n)]]);
        speed += 1 / rectangle.back();
      }
    GridShares shares = best_shares(rectangle, {i + 1, j + 1});
    double const bound = shares.objective() + (total_speed_ - speed);
    if (bound <= best_.objective() * (1 + min_gain)) return false;
    if (!whole) return true;
    best_.nodes = placed_;
    best_.times = std::move(rectangle);
    best_.shares = std::move(shares);
    return true;
  }

  Grid grid_;
  std::span<double const> times_;
  std::vector<std::uint32_t> fastest_;
  std::vector<int> lengths_;           // [p] lengths of the rows of the diagram
  std::vector<std::uint32_t> placed_;  // [p][q]
  double total_speed_ = 0;
  ArrangedGrid best_;
};

/// Enumerates the arrangements of the paper's heuristic; calls `step` for each with its shares.
template <class Step>
ArrangedGrid rank_1_steps(std::span<double const> times, Grid grid, Step const& step) {
  std::vector<std::uint32_t> const fastest = fastest_first(times, grid);
  auto const shares_of = [&](std::span<double const> t) { return rank_1_shares(t, grid); };
  ArrangedGrid out = arranged(grid, fastest, times, shares_of);
  out.steps.push_back({out.nodes, out.times, out.shares});
  std::set<std::vector<std::uint32_t>> seen{out.nodes};
  step(out);
  while (true) {
    std::vector<std::uint32_t> nodes = sorted_like(out.shares, fastest);
    std::vector<double> const arrangement = times_of(nodes, times);
    if (arrangement == out.times) return out;
    if (!seen.insert(nodes).second) {
      out.converged = false;
      return out;
    }
    ArrangedGrid next = arranged(grid, std::move(nodes), times, shares_of);
    next.history.insert(next.history.begin(), out.history.begin(), out.history.end());
    next.iterations = out.iterations + 1;
    next.best_objective = std::max(out.best_objective, next.objective());
    next.steps = std::move(out.steps);
    next.steps.push_back({next.nodes, next.times, next.shares});
    out = std::move(next);
    step(out);
  }
}

ArrangedGrid transposed(ArrangedGrid const& a) {
  ArrangedGrid out = a;
  std::swap(out.grid.p, out.grid.q);
  std::swap(out.shares.r, out.shares.c);
  for (std::size_t i = 0; i < a.shares.r.size(); ++i)
    for (std::size_t j = 0; j < a.shares.c.size(); ++j) {
      out.nodes[j * a.shares.r.size() + i] = a.nodes[i * a.shares.c.size() + j];
      out.times[j * a.shares.r.size() + i] = a.times[i * a.shares.c.size() + j];
    }
  return out;
}

/// Improves the arrangements of the paper's heuristic by exchanges.
class Exchanges {
 public:
  Exchanges(std::span<double const> times, Grid grid)
      : times_(times), grid_(grid), fastest_(fastest_first(times, grid)) {}

  /// Alternates optimal edge exchanges of the shares and sorting of the nodes by them while the objective
  /// improves.
  void begin_from(ArrangedGrid const& start) {
    auto const shares_of = [&](std::span<double const> t) { return ascended(t, grid_); };
    ArrangedGrid now = arranged(grid_, start.nodes, times_, shares_of);
    while (true) {
      ArrangedGrid next = arranged(grid_, sorted_like(now.shares, fastest_), times_, shares_of);
      if (!is_better(next, now)) break;
      now = std::move(next);
    }
    if (best_.nodes.empty() || is_better(now, best_)) best_ = std::move(now);
  }

  /// Swaps pairs of nodes while that improves the objective; then restarts a few times from the best
  /// arrangement with two random nodes swapped.
  ArrangedGrid finish() && {
    std::size_t const places = fastest_.size();
    trials_ = max_work / (places * places);
    improve(best_);
    std::uint64_t state = 1;
    auto const random_place = [&] {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
      return static_cast<std::size_t>(state >> 33U) % places;
    };
    for (int kick = 0; kick < kicks && trials_ > 0; ++kick) {
      ArrangedGrid other = best_;
      for (int i = 0; i < 2; ++i) exchange(other, random_place(), random_place());
      improve(other);
      if (is_better(other, best_)) best_ = std::move(other);
    }
    best_.best_objective = best_.objective();
    best_.history = {best_.best_objective};
    return std::move(best_);
  }

 private:
  static constexpr std::size_t max_work = 30'000'000;  // in places squared: below 0.5 s
  static constexpr int kicks = 30;
  static constexpr double min_gain = 1e-12;

  static bool is_better(ArrangedGrid const& a, ArrangedGrid const& b) {
    return a.objective() > b.objective() * (1 + min_gain);
  }

  void improve(ArrangedGrid& arrangement) {
    std::size_t const places = fastest_.size();
    for (bool better = true; better && trials_ > 0;) {
      better = false;
      for (std::size_t distance = 1; distance < places && trials_ > 0; ++distance)
        for (std::size_t rank = 0; rank + distance < places && trials_ > 0; ++rank) {
          std::size_t const a = place_of(arrangement, fastest_[rank]);
          std::size_t const b = place_of(arrangement, fastest_[rank + distance]);
          if (arrangement.times[a] == arrangement.times[b]) continue;
          --trials_;
          ArrangedGrid trial = arrangement;
          exchange(trial, a, b);
          if (!is_better(trial, arrangement)) continue;
          arrangement = std::move(trial);
          better = true;
        }
    }
  }

  void exchange(ArrangedGrid& arrangement, std::size_t a, std::size_t b) const {
    std::swap(arrangement.nodes[a], arrangement.nodes[b]);
    std::swap(arrangement.times[a], arrangement.times[b]);
    arrangement.shares = ascend_shares(arrangement.times, grid_,
                                       with_largest_columns(arrangement.shares.r, arrangement.times));
  }

  static std::size_t place_of(ArrangedGrid const& arrangement, std::uint32_t node) {
    return static_cast<std::size_t>(std::find(arrangement.nodes.begin(), arrangement.nodes.end(), node) -
                                    arrangement.nodes.begin());
  }

  std::span<double const> times_;
  Grid grid_;
  std::vector<std::uint32_t> fastest_;
  std::size_t trials_ = 0;  // remaining trials
  ArrangedGrid best_;
};

}  // namespace

ArrangedGrid arrange_as_given(std::span<double const> times, Grid grid) {
  std::size_t const places = fastest_first(times, grid).size();
  std::vector<std::uint32_t> nodes(places);
  std::iota(nodes.begin(), nodes.end(), 0U);
  return arranged(grid, std::move(nodes), times, [&](std::span<double const> t) {
    return places <= max_exact_places ? best_shares(t, grid) : ascended(t, grid);
  });
}

ArrangedGrid arrange_exactly(std::span<double const> times, Grid grid) {
  return ExactArrangement(times, grid, arrange_by_exchanges(times, grid)).find();
}

ArrangedGrid arrange_by_rank_1(std::span<double const> times, Grid grid) {
  return rank_1_steps(times, grid, [](ArrangedGrid const&) {});
}

ArrangedGrid arrange_by_exchanges(std::span<double const> times, Grid grid) {
  Exchanges exchanges(times, grid);
  (void)rank_1_steps(times, grid, [&](ArrangedGrid const& a) { exchanges.begin_from(a); });
  (void)rank_1_steps(times, {grid.q, grid.p},
                     [&](ArrangedGrid const& a) { exchanges.begin_from(transposed(a)); });
  return std::move(exchanges).finish();
}

}  // namespace factosim
