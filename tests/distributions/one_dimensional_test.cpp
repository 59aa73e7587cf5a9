#include "distributions/one_dimensional.hpp"

#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Owners = std::vector<std::uint32_t>;

/// Date at which the last node finishes its chunks.
double makespan(std::vector<std::uint32_t> const& counts, std::vector<double> const& speeds) {
  double latest = 0;
  for (std::size_t j = 0; j < speeds.size(); ++j)
    if (counts[j] > 0) latest = std::max(latest, counts[j] / speeds[j]);
  return latest;
}

/// Minimum makespan of `chunks` chunks over nodes `first` and up, by enumeration of all counts.
double min_makespan(int chunks, std::vector<double> const& speeds, std::size_t first = 0) {
  if (first + 1 == speeds.size()) return chunks / speeds[first];
  double minimum = std::numeric_limits<double>::infinity();
  for (int mine = 0; mine <= chunks; ++mine)
    minimum =
        std::min(minimum, std::max(mine / speeds[first], min_makespan(chunks - mine, speeds, first + 1)));
  return minimum;
}

std::vector<double> random_speeds(Random& random) {
  std::vector<double> speeds(static_cast<std::size_t>(random.between(1, 4)));
  bool const whole = random.chance(50);  // whole speeds tie often
  for (double& speed : speeds) speed = whole ? random.between(1, 4) : random.between(1, 1000) / 997.0;
  return speeds;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("equal nodes take turns and the last chunk goes to the highest") {
    CHECK(one_dimensional(6, std::vector{1.0, 1.0, 1.0}) == Owners{0, 1, 2, 0, 1, 2});
    CHECK(one_dimensional(4, std::vector{1.0, 1.0, 1.0}) == Owners{2, 0, 1, 2});
  }

  TEST_CASE("ties can go to the lowest node instead") {
    CHECK(one_dimensional(4, std::vector{1.0, 1.0, 1.0}, TieRule::lowest) == Owners{0, 2, 1, 0});
  }

  TEST_CASE("times that differ only by rounding are tied") {
    // 1 / 0.1 and 3 / 0.3 are the same time.
    CHECK(one_dimensional(4, std::vector{0.3, 0.1}) == Owners{0, 1, 0, 0});
    CHECK(one_dimensional(4, std::vector{0.1, 0.3}) == Owners{0, 1, 1, 1});
    CHECK(one_dimensional(4, std::vector{0.3, 0.1}, TieRule::lowest) == Owners{1, 0, 0, 0});
  }

  TEST_CASE("no chunks have no owners") { CHECK(one_dimensional(0, std::vector{1.0}).empty()); }

  TEST_CASE("speed 0 gets nothing") {
    CHECK(one_dimensional(3, std::vector{0.0, 2.0, 0.0}) == Owners{1, 1, 1});
    CHECK(proportional_counts(10, std::vector{0.0, 2.0, 3.0, 0.0}) == Owners{0, 4, 6, 0});
  }

  TEST_CASE("chunks that were assigned count when speeds change") {
    OneDimensional algorithm({1.0, 1.0, 0.0});
    for (int i = 0; i < 4; ++i) algorithm.next();
    CHECK(algorithm.counts() == Owners{2, 2, 0});
    algorithm.change_speeds({1.0, 1.0, 1.0});
    CHECK(algorithm.next() == 2);
    CHECK(algorithm.next() == 2);
    CHECK(algorithm.next() == 2);
    CHECK(algorithm.next() == 1);
    CHECK(algorithm.counts() == Owners{2, 3, 3});
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("negative speeds and all-zero speeds are refused") {
    CHECK_THROWS_AS(OneDimensional({}), ContractError);
    CHECK_THROWS_AS(OneDimensional({0.0, 0.0}), ContractError);
    CHECK_THROWS_AS(OneDimensional({1.0, -1.0}), ContractError);
    OneDimensional algorithm({1.0});
    CHECK_THROWS_AS(algorithm.change_speeds({0.0}), ContractError);
    CHECK_THROWS_AS(algorithm.change_speeds({1.0, 1.0}), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("every trailing part has the minimum makespan") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
      for (TieRule const tie : {TieRule::highest, TieRule::lowest}) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<double> const speeds = random_speeds(random);
        int const n = random.between(1, 12);
        Owners const owner = one_dimensional(n, speeds, tie);
        std::vector<std::uint32_t> counts(speeds.size(), 0);
        for (int k = n - 1; k >= 0; --k) {
          CAPTURE(k);
          ++counts[owner[static_cast<std::size_t>(k)]];
          double const minimum = min_makespan(n - k, speeds);
          CHECK(makespan(counts, speeds) == doctest::Approx(minimum).epsilon(1e-8));
        }
      }
  }

  TEST_CASE("no node is a whole chunk or more below its share") {
    // This is the D'Hondt method, which guarantees the lower quota; a node may exceed its share by more than
    // one.
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      std::vector<double> const speeds = random_speeds(random);
      int const n = random.between(0, 1000);
      double total = 0;
      for (double const speed : speeds) total += speed;
      std::vector<std::uint32_t> const counts = proportional_counts(n, speeds);
      std::uint32_t sum = 0;
      for (std::size_t j = 0; j < speeds.size(); ++j) {
        sum += counts[j];
        CHECK(counts[j] > n * speeds[j] / total - 1 - 1e-6);
      }
      CHECK(sum == static_cast<std::uint32_t>(n));
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE("IPDPS00 3.2.2: six panel columns on nodes of cycle-times 3/20 and 5/17 lie ABAABA") {
    CHECK(one_dimensional(6, std::vector{20.0 / 3, 17.0 / 5}) == Owners{0, 1, 0, 0, 1, 0});
  }
}
