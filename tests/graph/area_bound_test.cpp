#include "simulator/tasks/graph/area_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factosim/error.hpp"
#include "tests/graph/exact_area.hpp"
#include "tests/graph/random_flow.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

// Clp stops within 1e-7 of the scaled program and in practice at an exact vertex; a wrong vertex is off by
// far more.
constexpr double solved = 1e-9;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  std::vector<std::uint64_t> tasks;
  std::vector<WorkerClass> classes;
};

Case random_case(Random& random, int kernels, int classes) {
  Case c;
  for (int k = 0; k < kernels; ++k) c.tasks.push_back(static_cast<std::uint64_t>(random.between(0, 1000)));
  c.tasks[0] += 1;
  for (int i = 0; i < classes; ++i) {
    WorkerClass workers{.count = static_cast<std::uint32_t>(random.between(1, 30)), .durations = {}};
    for (int k = 0; k < kernels; ++k) {
      bool const impossible = i > 0 && random.chance(15);  // class 0 runs everything
      workers.durations.push_back(impossible ? infinity : 1e-4 * random.between(1, 1000));
    }
    c.classes.push_back(workers);
  }
  return c;
}

/// The work of a class per worker when it gets these shares.
double load(Case const& c, std::vector<double> const& shares, std::size_t worker_class) {
  double work = 0;
  for (std::size_t k = 0; k < c.tasks.size(); ++k) {
    double const share = shares[k * c.classes.size() + worker_class];
    if (share != 0) work += share * c.classes[worker_class].durations[k];
  }
  return work / c.classes[worker_class].count;
}

/// For two classes: kernels sorted by how much faster class 0 is; it takes all of the first and part of one
/// until both classes end together. An exchange of shares shows that no other split is better.
double two_classes_by_exchange(Case const& c) {
  std::vector<double> const& a = c.classes[0].durations;
  std::vector<double> const& b = c.classes[1].durations;
  std::vector<std::size_t> order(c.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] / b[i] < a[j] / b[j]; });
  double first = 0;
  double second = 0;
  for (std::size_t const k : order) {
    auto const n = static_cast<double>(c.tasks[k]);
    (std::isinf(b[k]) ? first : second) += n == 0 ? 0 : n * (std::isinf(b[k]) ? a[k] : b[k]);
  }
  double const p = c.classes[0].count;
  double const q = c.classes[1].count;
  for (std::size_t const k : order) {
    if (first / p >= second / q) break;
    if (std::isinf(b[k]) || c.tasks[k] == 0) continue;
    // x tasks move: (first + x a) / p = (second - x b) / q.
    double const x =
        std::min(static_cast<double>(c.tasks[k]), (second / q - first / p) / (a[k] / p + b[k] / q));
    first += x * a[k];
    second -= x * b[k];
  }
  return std::max(first / p, second / q);
}

/// Weak duality: with weights y of the classes, sum of y count = 1, no schedule is shorter than
/// the sum over the kernels of N times the smallest y d.
double dual_value(Case const& c, std::vector<double> weights) {
  double norm = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) norm += weights[i] * c.classes[i].count;
  double value = 0;
  for (std::size_t k = 0; k < c.tasks.size(); ++k) {
    double minimum = infinity;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (double const d = c.classes[i].durations[k]; !std::isinf(d))
        minimum = std::min(minimum, weights[i] / norm * d);
    value += c.tasks[k] == 0 ? 0 : static_cast<double>(c.tasks[k]) * minimum;
  }
  return value;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("one kernel takes its tasks divided by the sum of the rates") {
    std::vector<std::uint64_t> const tasks{120};
    std::vector<WorkerClass> const classes{{4, {2.0}}, {2, {0.25}}, {3, {infinity}}};
    AreaBound const bound = area_bound(tasks, classes);
    CHECK(bound.makespan.value == doctest::Approx(120.0 / (4 / 2.0 + 2 / 0.25)).epsilon(solved));
    CHECK(bound.shares[0] == doctest::Approx(24).epsilon(solved));
    CHECK(bound.shares[1] == doctest::Approx(96).epsilon(solved));
    CHECK(bound.shares[2] == 0);
  }

  TEST_CASE("two kernels on two classes share as computed by hand") {
    // Kernel 0 (1 s, 4 s) prefers class 0. With x of kernel 1 (4 s, 2 s) there: 10 + 4 x = 20 - 2 x, so x =
    // 5/3.
    std::vector<std::uint64_t> const tasks{10, 10};
    std::vector<WorkerClass> const classes{{1, {1, 4}}, {1, {4, 2}}};
    AreaBound const bound = area_bound(tasks, classes);
    CHECK(bound.makespan.value == doctest::Approx(50.0 / 3).epsilon(solved));
    std::vector<double> const shares{10, 0, 5.0 / 3, 25.0 / 3};
    REQUIRE(bound.shares.size() == shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      CAPTURE(i);
      CHECK(bound.shares[i] == doctest::Approx(shares[i]).epsilon(solved));
    }
  }

  TEST_CASE("no task takes no time") {
    std::vector<std::uint64_t> const tasks{0, 0};
    std::vector<WorkerClass> const classes{{1, {1, infinity}}};
    AreaBound const bound = area_bound(tasks, classes);
    CHECK(bound.makespan == Seconds{0});
    CHECK(bound.shares == std::vector<double>{0, 0});
  }

  TEST_CASE("a kernel that no worker runs is infeasible") {
    std::vector<std::uint64_t> const tasks{3, 1};
    std::vector<WorkerClass> const nowhere{{2, {1, infinity}}, {5, {1, infinity}}};
    char const* const message = "no worker can run the tasks of kernel number 1";
    CHECK_THROWS_WITH_AS(area_bound(tasks, nowhere), message, InfeasibleError);
    std::vector<WorkerClass> const no_worker{{2, {1, infinity}}, {0, {1, 1}}};
    CHECK_THROWS_WITH_AS(area_bound(tasks, no_worker), message, InfeasibleError);
    CHECK_THROWS_WITH_AS(area_bound(tasks, {}), "no worker can run the tasks of kernel number 0",
                         InfeasibleError);
  }

  TEST_CASE("a kernel without tasks needs no worker") {
    std::vector<std::uint64_t> const tasks{6, 0};
    std::vector<WorkerClass> const classes{{2, {1, infinity}}};
    CHECK(area_bound(tasks, classes).makespan.value == doctest::Approx(3).epsilon(solved));
  }

  TEST_CASE("a class without workers gets no task") {
    std::vector<std::uint64_t> const tasks{6};
    std::vector<WorkerClass> const classes{{2, {1}}, {0, {0.001}}};
    AreaBound const bound = area_bound(tasks, classes);
    CHECK(bound.makespan.value == doctest::Approx(3).epsilon(solved));
    CHECK(bound.shares[1] == 0);
  }

  TEST_CASE("millions of microsecond tasks are solved as well as few long ones") {
    std::vector<std::uint64_t> const many{400'000'000, 300'000'000};
    std::vector<WorkerClass> const short_ones{{40, {1e-6, 8e-6}}, {2, {1e-8, 2e-8}}};
    CHECK(area_bound(many, short_ones).makespan.value ==
          doctest::Approx(two_classes_by_exchange({many, short_ones})).epsilon(solved));
    std::vector<std::uint64_t> const few{1, 2};
    std::vector<WorkerClass> const long_ones{{1, {1e6, 8e6}}, {2, {3e6, 2e6}}};
    CHECK(area_bound(few, long_ones).makespan.value ==
          doctest::Approx(two_classes_by_exchange({few, long_ones})).epsilon(solved));
  }
}

TEST_SUITE("property") {
  TEST_CASE("on two classes the bound is that of the exchange argument") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case const c = random_case(random, random.between(1, 6), 2);
      CHECK(area_bound(c.tasks, c.classes).makespan.value ==
            doctest::Approx(two_classes_by_exchange(c)).epsilon(solved));
    }
  }

  TEST_CASE("the shares reach the bound and no dual value exceeds it") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case const c = random_case(random, random.between(1, 6), random.between(1, 5));
      std::size_t const classes = c.classes.size();
      AreaBound const bound = area_bound(c.tasks, c.classes);
      double const makespan = bound.makespan.value;
      double longest = 0;
      for (std::size_t i = 0; i < classes; ++i) longest = std::max(longest, load(c, bound.shares, i));
      CHECK(longest == doctest::Approx(makespan).epsilon(solved));
      for (std::size_t k = 0; k < c.tasks.size(); ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < classes; ++i) {
          double const share = bound.shares[k * classes + i];
          CHECK(share >= -solved);
          if (std::isinf(c.classes[i].durations[k])) CHECK(share == 0);
          sum += share;
        }
        CHECK(sum == doctest::Approx(static_cast<double>(c.tasks[k])).epsilon(solved));
      }
      for (int trial = 0; trial < 300; ++trial) {
        std::vector<double> weights;
        for (std::size_t i = 0; i < classes; ++i)
          weights.push_back(std::pow(10.0, 0.001 * random.between(-2000, 2000)));
        CHECK(dual_value(c, weights) <= makespan * (1 + solved));
      }
    }
  }

  TEST_CASE("on three classes a search over the dual weights finds the bound") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case const c = random_case(random, random.between(1, 4), 3);
      // At an optimal vertex, the weights are ratios of durations along chains of kernels that classes share.
      auto const& d = c.classes;
      std::vector<std::vector<std::vector<double>>> between(3, std::vector<std::vector<double>>(3));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          between[i][j].push_back(1e-12);  // class j left idle
          for (std::size_t k = 0; k < c.tasks.size(); ++k)
            if (!std::isinf(d[i].durations[k]) && !std::isinf(d[j].durations[k]))
              between[i][j].push_back(d[i].durations[k] / d[j].durations[k]);
        }
      double best = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        std::size_t const j = (i + 1) % 3;
        std::size_t const l = (i + 2) % 3;
        for (double const x : between[i][j])
          for (double const y : between[i][l]) {
            std::vector<double> weights(3);
            weights[i] = 1;
            weights[j] = x;
            weights[l] = y;
            best = std::max(best, dual_value(c, weights));
          }
        for (double const x : between[i][j])
          for (double const y : between[j][l]) {
            std::vector<double> weights(3);
            weights[i] = 1;
            weights[j] = x;
            weights[l] = x * y;
            best = std::max(best, dual_value(c, weights));
          }
      }
      CHECK(area_bound(c.tasks, c.classes).makespan.value == doctest::Approx(best).epsilon(solved));
    }
  }

  TEST_CASE("one more worker never raises the bound and one more task never lowers it") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case c = random_case(random, random.between(1, 5), random.between(1, 4));
      double const before = area_bound(c.tasks, c.classes).makespan.value;
      for (WorkerClass& workers : c.classes) {
        ++workers.count;
        CHECK(area_bound(c.tasks, c.classes).makespan.value <= before * (1 + solved));
        --workers.count;
      }
      for (std::uint64_t& tasks : c.tasks) {
        ++tasks;
        CHECK(area_bound(c.tasks, c.classes).makespan.value >= before * (1 - solved));
        --tasks;
      }
    }
  }

  TEST_CASE("the bound scales with the durations and the tasks and against the workers") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case const c = random_case(random, random.between(1, 5), random.between(1, 4));
      double const before = area_bound(c.tasks, c.classes).makespan.value;
      Case slower = c;
      Case more_workers = c;
      Case more_tasks = c;
      for (WorkerClass& workers : slower.classes)
        for (double& duration : workers.durations) duration *= 3.5;
      for (WorkerClass& workers : more_workers.classes) workers.count *= 4;
      for (std::uint64_t& tasks : more_tasks.tasks) tasks *= 7;
      CHECK(area_bound(slower.tasks, slower.classes).makespan.value ==
            doctest::Approx(3.5 * before).epsilon(solved));
      CHECK(area_bound(more_workers.tasks, more_workers.classes).makespan.value ==
            doctest::Approx(before / 4).epsilon(solved));
      CHECK(area_bound(more_tasks.tasks, more_tasks.classes).makespan.value ==
            doctest::Approx(7 * before).epsilon(solved));
    }
  }

  TEST_CASE("splitting a class or reordering classes leaves the bound") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case const c = random_case(random, random.between(1, 5), random.between(1, 4));
      double const before = area_bound(c.tasks, c.classes).makespan.value;
      Case split = c;
      for (WorkerClass const& workers : c.classes) {
        split.classes.push_back(workers);
        split.classes.back().count = 1;
      }
      for (std::size_t i = 0; i < c.classes.size(); ++i) --split.classes[i].count;
      std::reverse(split.classes.begin(), split.classes.end());
      CHECK(area_bound(split.tasks, split.classes).makespan.value == doctest::Approx(before).epsilon(solved));
    }
  }

  TEST_CASE("the order of the classes and splitting one of them do not change the last bit") {
    Random random(77);
    for (int i = 0; i < 200; ++i) {
      Case c = random_case(random, 4, 4);
      double const before = area_bound(c.tasks, c.classes).makespan.value;
      std::reverse(c.classes.begin(), c.classes.end());
      WorkerClass part = c.classes[0];
      part.count = c.classes[0].count / 2;
      c.classes[0].count -= part.count;
      c.classes.push_back(part);
      CHECK(area_bound(c.tasks, c.classes).makespan.value == before);
    }
  }

  TEST_CASE("the bound of one class is the exact quotient") {
    std::vector<std::uint64_t> const tasks{1'000'003, 7};
    std::vector<WorkerClass> const classes{{3, {123'456'789, 987'654'321}}};  // whole ticks
    CHECK(area_bound(tasks, classes).makespan.value ==
          static_cast<double>((1'000'003ULL * 123'456'789ULL + 7ULL * 987'654'321ULL) / 3.0L));
  }

  // Clp ends at absolute tolerances: in units of the slowest class, bounds were too low.
  TEST_CASE("a class that is slower by orders of magnitude does not blur the bound") {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Case c = random_case(random, random.between(1, 6), 2);
      double const slower = std::pow(10, random.between(0, 9));
      for (double& d : c.classes[1].durations)
        d *= std::isinf(d) ? 1 : slower * std::pow(10, random.between(-2, 2));
      double const found = area_bound(c.tasks, c.classes).makespan.value,
                   exact = exact_area_bound(c.tasks, c.classes);
      CHECK(found <= exact * (1 + 1e-12));
      CHECK(found >= exact * (1 - solved));
    }
  }
}
