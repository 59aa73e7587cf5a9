#include "distributions/het_grid.hpp"

#include <chrono>

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using Numbers = std::vector<double>;
using Owners = std::vector<std::uint32_t>;

Numbers const nine{1, 2, 3, 4, 5, 6, 7, 8, 9};

/// Cycle times drawn from [0, 1], as in section 4.4.4.
class RandomTimes {
 public:
  explicit RandomTimes(std::uint64_t seed) : engine_(seed) {}
  Numbers operator()(int count) {
    Numbers times;
    for (int i = 0; i < count; ++i) times.push_back(static_cast<double>((engine_() >> 11U) + 1) * 0x1p-53);
    return times;
  }

 private:
  std::mt19937_64 engine_;
};

Numbers workloads(Numbers const& times, GridShares const& shares) {
  Numbers out;
  for (std::size_t i = 0; i < shares.r.size(); ++i)
    for (std::size_t j = 0; j < shares.c.size(); ++j)
      out.push_back(shares.r[i] * times[i * shares.c.size() + j] * shares.c[j]);
  return out;
}

/// Enumerates all spanning trees of the bipartite graph: the algorithm of section 4.3.1 as printed.
double best_by_all_trees(Numbers const& times, Grid grid) {
  int const p = grid.p, q = grid.q;
  double best = 0;
  for (unsigned bits = 0; bits < 1U << static_cast<unsigned>(p * q); ++bits) {
    if (__builtin_popcount(bits) != p + q - 1) continue;
    Numbers r(static_cast<std::size_t>(p), 0), c(static_cast<std::size_t>(q), 0);
    r[0] = 1;
    for (int round = 0; round < p + q; ++round)
      for (int e = 0; e < p * q; ++e) {
        if ((bits >> static_cast<unsigned>(e) & 1U) == 0) continue;
        double& row = r[static_cast<std::size_t>(e / q)];
        double& column = c[static_cast<std::size_t>(e % q)];
        double const time = times[static_cast<std::size_t>(e)];
        if (row > 0 && column == 0) column = 1 / (row * time);
        if (column > 0 && row == 0) row = 1 / (column * time);
      }
    GridShares const shares{r, c};
    bool const spans = std::ranges::all_of(r, [](double x) { return x > 0; }) &&
                       std::ranges::all_of(c, [](double x) { return x > 0; });
    Numbers const work = workloads(times, shares);
    if (spans && std::ranges::all_of(work, [](double w) { return w <= 1 + 1e-12; }))
      best = std::max(best, shares.objective());
  }
  return best;
}

/// Returns the optimum over all arrangements, non-decreasing or not.
double best_by_all_arrangements(Numbers times, Grid grid) {
  std::sort(times.begin(), times.end());
  double best = 0;
  do best = std::max(best, best_shares(times, grid).objective());
  while (std::next_permutation(times.begin(), times.end()));
  return best;
}

struct Mean {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  [[nodiscard]] double value() const { return sum / count; }
  [[nodiscard]] double deviation() const { return std::sqrt(squares / count - value() * value()); }
};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("cycle-times that form a rank-1 matrix keep all nodes busy") {
    GridShares const shares = best_shares(Numbers{1, 2, 3, 6}, {2, 2});
    CHECK(shares.objective() == doctest::Approx(2).epsilon(1e-12));  // 1 + 1/2 + 1/3 + 1/6
    CHECK(shares.mean_workload(Numbers{1, 2, 3, 6}) == doctest::Approx(1).epsilon(1e-12));
  }

  TEST_CASE("a grid of one row shares by speed alone") {
    ArrangedGrid const grid = arrange_exactly(Numbers{4, 1, 2}, {1, 3});
    CHECK(grid.objective() == doctest::Approx(1.75).epsilon(1e-12));
    CHECK(grid.times == Numbers{1, 2, 4});
    CHECK(grid.nodes == Owners{1, 2, 0});
  }

  TEST_CASE("equal nodes get equal shares by every method") {
    for (auto* const arrange : {arrange_as_given, arrange_exactly, arrange_by_rank_1, arrange_by_exchanges}) {
      ArrangedGrid const grid = arrange(Numbers(12, 0.5), {3, 4});
      CHECK(grid.objective() == doctest::Approx(24).epsilon(1e-9));
      CHECK(grid.nodes.size() == 12);
    }
  }

  TEST_CASE("the fastest nodes are used if there are more nodes than places") {
    for (auto* const arrange : {arrange_exactly, arrange_by_rank_1, arrange_by_exchanges}) {
      ArrangedGrid const grid = arrange(Numbers{9, 1, 8, 2, 3, 4}, {2, 2});
      CHECK(std::set<std::uint32_t>(grid.nodes.begin(), grid.nodes.end()) ==
            std::set<std::uint32_t>{1, 3, 4, 5});
    }
  }

  TEST_CASE("a consecutive panel has the same counts in another order") {
    ArrangedGrid const grid = arrange_as_given(Numbers{1, 2, 3, 5}, {2, 2});
    GridPanel const panel = grid_panel(grid, {.rows = 8, .columns = 6}, PanelOrder::consecutive);
    CHECK(panel.rows == Owners{0, 0, 0, 0, 0, 0, 1, 1});
    CHECK(panel.columns == Owners{0, 0, 0, 0, 1, 1});
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a grid needs a positive cycle-time for each place") {
    CHECK_THROWS_AS(arrange_exactly(Numbers{1, 2, 3}, {2, 2}), ContractError);
    CHECK_THROWS_AS(best_shares(Numbers{1, 0}, {1, 2}), ContractError);
    CHECK_THROWS_AS(best_shares(Numbers(65, 1.0), {5, 13}), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("the best shares are those of the best feasible spanning tree") {
    RandomTimes draw(1);
    for (Grid const grid : {Grid{1, 4}, Grid{2, 2}, Grid{2, 3}, Grid{3, 3}, Grid{3, 4}})
      for (int i = 0; i < (grid.p * grid.q > 9 ? 4 : 40); ++i) {
        CAPTURE(i);
        Numbers const times = draw(grid.p * grid.q);
        CHECK(best_shares(times, grid).objective() ==
              doctest::Approx(best_by_all_trees(times, grid)).epsilon(1e-9));
      }
    // Small whole numbers cause ties.
    for (int i = 0; i < 40; ++i) {
      Numbers times = draw(9);
      for (double& t : times) t = std::ceil(3 * t);
      CHECK(best_shares(times, {3, 3}).objective() ==
            doctest::Approx(best_by_all_trees(times, {3, 3})).epsilon(1e-9));
    }
  }

  TEST_CASE("the exact arrangement is optimal and non-decreasing") {
    RandomTimes draw(2);
    for (Grid const grid : {Grid{2, 2}, Grid{2, 3}, Grid{3, 2}, Grid{2, 4}})
      for (int i = 0; i < (grid.p * grid.q > 6 ? 2 : 20); ++i) {
        Numbers times = draw(grid.p * grid.q);
        if (i % 2 == 0)
          for (double& t : times) t = std::ceil(4 * t);
        ArrangedGrid const exact = arrange_exactly(times, grid);
        CHECK(exact.objective() == doctest::Approx(best_by_all_arrangements(times, grid)).epsilon(1e-9));
        auto const q = static_cast<std::size_t>(grid.q);
        for (std::size_t place = 0; place < exact.times.size(); ++place) {
          if (place % q > 0) CHECK(exact.times[place] >= exact.times[place - 1]);
          if (place >= q) CHECK(exact.times[place] >= exact.times[place - q]);
        }
      }
  }

  TEST_CASE("shares overload no node and no heuristic beats the exact arrangement") {
    RandomTimes draw(3);
    for (Grid const grid : {Grid{2, 2}, Grid{2, 3}, Grid{3, 3}, Grid{3, 4}}) {
      Mean ratio;
      for (int i = 0; i < 25; ++i) {
        CAPTURE(i);
        Numbers const times = draw(grid.p * grid.q);
        ArrangedGrid const exact = arrange_exactly(times, grid);
        ArrangedGrid const paper = arrange_by_rank_1(times, grid);
        ArrangedGrid const better = arrange_by_exchanges(times, grid);
        CHECK(exact.objective() >= better.objective() * (1 - 1e-9));
        CHECK(better.objective() >= paper.best_objective * (1 - 1e-9));
        for (ArrangedGrid const& a : {exact, paper, better}) {
          for (double const work : workloads(a.times, a.shares)) CHECK(work <= 1 + 1e-9);
          CHECK(Owners(a.nodes).size() == std::set<std::uint32_t>(a.nodes.begin(), a.nodes.end()).size());
        }
        ratio.add(better.objective() / exact.objective());
      }
      CHECK(ratio.value() >= 0.98);
    }
  }

  TEST_CASE("the paper's heuristic stops when an arrangement repeats") {
    RandomTimes draw(4);
    int cycles = 0;
    for (int i = 0; i < 800; ++i) {
      int const n = 4 + i % 5;
      ArrangedGrid const grid = arrange_by_rank_1(draw(n * n), {n, n});
      REQUIRE(grid.history.size() == static_cast<std::size_t>(grid.iterations) + 1);
      REQUIRE(grid.best_objective == *std::max_element(grid.history.begin(), grid.history.end()));
      cycles += grid.converged ? 0 : 1;
    }
    CHECK(cycles > 0);  // the test covers such cases
  }

  TEST_CASE("panels have their sums and nodes communicate only within their row and column") {
    RandomTimes draw(5);
    for (int i = 0; i < 30; ++i) {
      ArrangedGrid const grid = arrange_by_exchanges(draw(12), {3, 4});
      Panel const size{.rows = 10 + i, .columns = 41 - i};
      for (PanelOrder const order : {PanelOrder::consecutive, PanelOrder::one_dimensional}) {
        GridPanel const panel = grid_panel(grid, size, order);
        CHECK(panel.rows.size() == static_cast<std::size_t>(size.rows));
        CHECK(panel.columns.size() == static_cast<std::size_t>(size.columns));
        GridPanel const other = grid_panel(grid, size, PanelOrder::consecutive);
        CHECK(std::is_permutation(panel.columns.begin(), panel.columns.end(), other.columns.begin()));
        TileMap const map = het_grid(30, 30, grid, panel);
        for (int m = 0; m < 30; ++m)
          CHECK(std::set<NodeId>(map.owner.begin() + m * 30, map.owner.begin() + m * 30 + 30).size() <= 4);
      }
    }
  }

  TEST_CASE("15 by 15 nodes are arranged in well under a second") {
    Numbers const times = RandomTimes(6)(225);
    auto const start = std::chrono::steady_clock::now();
    ArrangedGrid const better = arrange_by_exchanges(times, {15, 15});
    double const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(took < 5);  // measured: 0.12 s; sanitizers and busy machines are slower
    CHECK(better.objective() > arrange_by_rank_1(times, {15, 15}).objective());
  }
}

TEST_SUITE("published") {
  TEST_CASE("IPDPS00 4.3: the optimum of cycle-times 1 to 9 is 323 over 120") {
    for (auto* const arrange : {arrange_exactly, arrange_by_exchanges}) {
      ArrangedGrid const grid = arrange(nine, {3, 3});
      CHECK(grid.objective() == doctest::Approx(323.0 / 120).epsilon(1e-12));
      CHECK(grid.times == Numbers{1, 2, 5, 3, 6, 7, 4, 8, 9});
    }
  }

  TEST_CASE("IPDPS00 3.1.2: a panel of 4 by 3 tiles balances cycle-times 1 2 3 6") {
    ArrangedGrid const grid = arrange_as_given(Numbers{1, 2, 3, 6}, {2, 2});
    GridPanel const panel = grid_panel(grid, {.rows = 4, .columns = 3}, PanelOrder::consecutive);
    CHECK(panel.rows == Owners{0, 0, 0, 1});
    CHECK(panel.columns == Owners{0, 0, 1});
    TileMap const map = het_grid(10, 10, grid, panel);  // figure 2
    CHECK(map.at(2, 9) == NodeId{0});
    CHECK(map.at(3, 8) == NodeId{3});
    CHECK(map.at(7, 9) == NodeId{2});
  }

  TEST_CASE("IPDPS00 3.2.2: a panel of 8 by 6 tiles has 6 and 2 rows and the columns A B A A B A") {
    ArrangedGrid const grid = arrange_as_given(Numbers{1, 2, 3, 5}, {2, 2});
    GridPanel const panel = grid_panel(grid, {.rows = 8, .columns = 6}, PanelOrder::one_dimensional);
    CHECK(std::count(panel.rows.begin(), panel.rows.end(), 0U) == 6);
    CHECK(panel.columns == Owners{0, 1, 0, 0, 1, 0});
  }

  TEST_CASE("IPDPS00 figures 6 to 8: workload and gain and steps at both ends of the curves") {
    // The curves are averages of 100 draws: two such averages differ by at most three standard errors of
    // both.
    RandomTimes draw(7);
    struct End {
      int n;
      double workload, tau, steps;
    };
    for (End const end : {End{2, 0.881, 0.003, 1.1}, End{15, 0.577, 0.267, 10.4}}) {
      CAPTURE(end.n);
      Mean workload, tau, steps;
      for (int i = 0; i < 100; ++i) {
        ArrangedGrid const grid = arrange_by_rank_1(draw(end.n * end.n), {end.n, end.n});
        workload.add(grid.mean_workload());
        tau.add(grid.objective() / grid.history.front() - 1);
        steps.add(grid.iterations + 1);  // the figure counts the first arrangement too
      }
      auto const error = [](Mean const& mean) { return 3 * mean.deviation() * std::sqrt(2.0 / 100); };
      CHECK(std::abs(workload.value() - end.workload) <= error(workload));
      CHECK(std::abs(tau.value() - end.tau) <= error(tau));
      CHECK(std::abs(steps.value() - end.steps) <= error(steps));
    }
  }
}
