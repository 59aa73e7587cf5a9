// Block sizes by which all workers end together.

#include "simulator/experiments/balance/equal_time.hpp"

#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// a + b x + c x^d
struct PowerTime final : BlockTime {
  double a, b, c, d;
  PowerTime(double a_, double b_, double c_, double d_) : a(a_), b(b_), c(c_), d(d_) {}
  [[nodiscard]] double seconds(double x) const override { return a + b * x + c * std::pow(x, d); }
  [[nodiscard]] double slope(double x) const override {
    return b + c * d * std::pow(std::max(x, 1e-12), d - 1);
  }
};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("two lines are solved as by hand") {
    PowerTime const fast(1, 2, 0, 1), slow(0, 6, 0, 1);
    EqualTimeSolver solver;
    // 1 + 2 x = 6 (10 - x)
    EqualTimeSolution const s = solver.solve(std::vector<EqualTimeWorker>{{&fast, 0}, {&slow, 0}}, 10);
    CHECK(s.by_ipopt);
    CHECK(s.size[0] == doctest::Approx(59.0 / 8).epsilon(1e-7));
    CHECK(s.size[1] == doctest::Approx(21.0 / 8).epsilon(1e-7));
    CHECK(s.end == doctest::Approx(63.0 / 4).epsilon(1e-7));
  }

  TEST_CASE("a worker that is free later gets less and one that is free too late nothing") {
    PowerTime const time(0, 1, 0, 1);
    EqualTimeSolver solver;
    EqualTimeSolution const s =
        solver.solve(std::vector<EqualTimeWorker>{{&time, 5}, {&time, 2}, {&time, 100}}, 10);
    CHECK(s.size[0] == doctest::Approx(3.5).epsilon(1e-7));
    CHECK(s.size[1] == doctest::Approx(6.5).epsilon(1e-7));
    CHECK(s.size[2] == 0);
  }
}

TEST_SUITE("property") {
  TEST_CASE("block sizes solve random systems of equal times to 1e-6 by interior point as by bracketing") {
    EqualTimeSolver solver;
    std::uint32_t systems = 0;
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::vector<PowerTime> times;
      std::vector<EqualTimeWorker> workers;
      std::size_t const count = 1 + random() % 30;
      for (std::size_t p = 0; p < count; ++p) {
        double const speed = std::pow(100, testing::uniform_between(random, 0, 1));
        times.emplace_back(testing::uniform_between(random, 0, 0.05), 1 / speed,
                           testing::uniform_between(random, 0, 1) / speed,
                           testing::uniform_between(random, 0.5, 2));
      }
      for (PowerTime const& time : times)
        workers.push_back({&time, testing::uniform_between(random, 0, 0.02)});
      double const work = testing::uniform_between(random, 0.01, 1);
      EqualTimeSolution const s = solver.solve(workers, work);
      CHECK(std::accumulate(s.size.begin(), s.size.end(), 0.0) == doctest::Approx(work).epsilon(1e-6));
      for (std::size_t p = 0; p < count; ++p)
        if (s.size[p] > 0)
          CHECK(std::abs(workers[p].free_at + times[p].seconds(s.size[p]) - s.end) <= 1e-6 * s.end);
        else
          CHECK(workers[p].free_at + times[p].seconds(0) >= s.end * (1 - 1e-6));
      EqualTimeSolution const bracketed = equal_time_by_bracketing(workers, work);
      CHECK(bracketed.end == doctest::Approx(s.end).epsilon(1e-5));
      ++systems;
    }
    CHECK(solver.solved_by_ipopt() + solver.solved_by_bracketing() == systems);
    CHECK(solver.largest_residual() <= EqualTimeSolver::tolerance);
    MESSAGE(solver.solved_by_ipopt() << " of " << systems << " systems by Ipopt, largest residual "
                                     << solver.largest_residual());
    CHECK(solver.solved_by_ipopt() >= systems * 95 / 100);
  }
}
