// The area bound of the program, and that of the auditor, against the exact optimum in rational arithmetic.

#include "simulator/tasks/graph/area_bound.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include "simulator/audit/rules/area_program.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

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

using Exact = boost::multiprecision::cpp_rational;

/// Maximises the objective subject to rows x <= limits, x >= 0, by Bland's rule in rational numbers.
Exact exact_maximum(std::vector<std::vector<Exact>> rows, std::vector<Exact> objective) {
  // Each row: coefficients, then its limit. The objective: coefficients, then minus its value.
  std::vector<std::size_t> row_name(rows.size()), column_name(objective.size() - 1);
  std::iota(column_name.begin(), column_name.end(), std::size_t{0});
  std::iota(row_name.begin(), row_name.end(), column_name.size());
  while (true) {
    std::size_t entering = column_name.size(), leaving = rows.size();
    for (std::size_t j = 0; j < column_name.size(); ++j)
      if (objective[j] > 0 && (entering == column_name.size() || column_name[j] < column_name[entering]))
        entering = j;
    if (entering == column_name.size()) return -objective.back();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][entering] <= 0) continue;
      if (leaving < rows.size()) {
        Exact const a = rows[i].back() * rows[leaving][entering],
                    b = rows[leaving].back() * rows[i][entering];
        if (a > b || (a == b && row_name[i] > row_name[leaving])) continue;
      }
      leaving = i;
    }
    FACTOSIM_ALWAYS(leaving < rows.size(), "a bounded program");
    auto& pivots = rows[leaving];
    Exact const pivot = pivots[entering];
    pivots[entering] = 1;
    for (Exact& a : pivots) a /= pivot;
    auto const eliminate = [&](std::vector<Exact>& row) {
      Exact const factor = row[entering];
      row[entering] = 0;
      if (factor != 0)
        for (std::size_t j = 0; j < row.size(); ++j) row[j] -= factor * pivots[j];
    };
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != leaving) eliminate(rows[i]);
    eliminate(objective);
    std::swap(row_name[leaving], column_name[entering]);
  }
}

/// The area bound, by its dual program: prices w of the classes' time, which sum to 1 over all workers, and values y <= d w of the tasks.
double exact_area_bound(std::vector<std::uint64_t> const& tasks, std::vector<WorkerClass> const& classes) {
  std::size_t const kernels = tasks.size(), columns = kernels + classes.size();
  std::vector<std::vector<Exact>> rows;
  std::vector<Exact> objective(columns + 1, 0), price(columns + 1, 0);
  for (std::size_t k = 0; k < kernels; ++k) {
    objective[k] = tasks[k];
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (std::isinf(classes[i].durations[k])) continue;
      auto& row = rows.emplace_back(columns + 1, 0);
      row[k] = 1;
      row[kernels + i] = -Exact(classes[i].durations[k]);
    }
  }
  for (std::size_t i = 0; i < classes.size(); ++i) price[kernels + i] = classes[i].count;
  price[columns] = 1;
  rows.push_back(price);
  return exact_maximum(std::move(rows), std::move(objective)).convert_to<double>();
}

/// Kernels of any magnitude, on classes that differ by up to nine orders; the first class runs everything.
Case mixed_case(Random& random) {
  Case c;
  int const kernels = random.between(1, 5), classes = random.between(2, 5);
  for (int k = 0; k < kernels; ++k) c.tasks.push_back(static_cast<std::uint64_t>(random.between(1, 1000)));
  auto const magnitude = [&](int orders) {
    return std::pow(10, 0.01 * random.between(-50 * orders, 50 * orders));
  };
  double const unit = magnitude(20);
  int const orders = random.between(0, 9);
  for (int i = 0; i < classes; ++i) {
    WorkerClass workers{.count = static_cast<std::uint32_t>(random.between(1, 30)), .durations = {}};
    double const slow = unit * magnitude(orders);
    for (int k = 0; k < kernels; ++k)
      workers.durations.push_back(i > 0 && random.chance(20) ? std::numeric_limits<double>::infinity()
                                                             : slow * magnitude(2));
    c.classes.push_back(workers);
  }
  return c;
}

audit::AreaInterval audited(Case const& c) {
  std::vector<audit::AreaClass> classes;
  for (WorkerClass const& w : c.classes)
    classes.push_back({.count = static_cast<double>(w.count), .durations = w.durations});
  return audit::least_time({c.tasks.begin(), c.tasks.end()}, classes);
}

void check_exact(Case const& c) {
  double const exact = exact_area_bound(c.tasks, c.classes);
  double const found = area_bound(c.tasks, c.classes).makespan.value;
  CHECK(found <= exact * (1 + 1e-15));  // a bound, but for the rounding of the exact one
  CHECK(found >= exact * (1 - 1e-9));
  audit::AreaInterval const interval = audited(c);
  CHECK(interval.low <= exact * (1 + 1e-15));
  CHECK(interval.high >= exact * (1 - 1e-15));
  CHECK(interval.high - interval.low <= 1e-12 * exact);
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
}

TEST_SUITE("property") {
  TEST_CASE("area bounds are exact for durations of any magnitude") {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      check_exact(mixed_case(random));
    }
  }

  // Three node types with GPUs, some of which run nothing but two kernels: pivots of rounding errors had made the
  // auditor's optimum 3.5 % too large.
  TEST_CASE("the area bound of degenerate classes is exact") {
    constexpr double none = std::numeric_limits<double>::infinity();
    check_exact(
        {{9, 36, 36, 204},
         {{21, {0.0020648850738916257, 0.06947596740331492, 0.0013565426213592233, 0.0038872179598145287}},
          {3, {none, 0.00016438104705882354, 0.00024465272568093384, 0.002857988659090909}},
          {3, {0.062099506666666665, 0.041365625328947365, 0.00535112770212766, 0.07247925129682997}},
          {1, {none, 0.001934638476923077, 0.00722709775862069, 0.00274866668852459}},
          {3, {0.020298870217917677, 0.0532845343220339, 0.08327913973509934, 0.004205735819397993}},
          {1, {none, 0.00012766649847715736, 0.00013987931145717465, 0.0011128451415929204}}}});
  }

  TEST_CASE("the shares of the classes reach the bound") {
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
}
