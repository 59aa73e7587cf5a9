#include "distributions/square_partition.hpp"

#include "tests/distributions/random_speeds.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Rectangle = SquarePartition::Rectangle;

double sum(std::vector<double> const& speeds) {
  double total = 0;
  for (double const speed : speeds) total += speed;
  return total;
}

double overlap(Rectangle const& a, Rectangle const& b) {
  double const width = std::min(a.left + a.width, b.left + b.width) - std::max(a.left, b.left);
  double const height = std::min(a.top + a.height, b.top + b.height) - std::max(a.top, b.top);
  return std::max(width, 0.0) * std::max(height, 0.0);
}

bool inside_square(Rectangle const& r) {
  return r.left >= 0 && r.top >= 0 && r.left + r.width <= 1 + 1e-12 && r.top + r.height <= 1 + 1e-12;
}

/// Ratio of the longer to the shorter side.
double aspect(Rectangle const& r) { return std::max(r.width / r.height, r.height / r.width); }

/// Lower bound of any partition: each rectangle a square; for two nodes or more, cuts across the whole
/// square.
double lower_bound(std::vector<double> const& speeds) {
  return std::max(partition_lower_bound(speeds), speeds.size() > 1 ? 3.0 : 2.0);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a node with a third of the speed is cut off alone") {
    // 3 of 8; then 3 of 5 from the rest, which is no longer wider than high; then 1 and 1.
    SquarePartition const partition = nagamochi_abe(std::vector{1.0, 3.0, 1.0, 3.0});
    auto const& r = partition.rectangles;
    CHECK(r[1].width == doctest::Approx(3.0 / 8));
    CHECK(r[1].height == 1);
    CHECK(r[3].left == r[1].width);
    CHECK(r[3].width == doctest::Approx(5.0 / 8));
    CHECK(r[3].height == doctest::Approx(3.0 / 5));
    CHECK(r[0].width == doctest::Approx(5.0 / 16));
    CHECK(r[0].height == doctest::Approx(2.0 / 5));
    CHECK(r[2].left == doctest::Approx(11.0 / 16));
  }

  TEST_CASE("four or nine equal nodes make squares") {
    for (int const side : {2, 3})
      for (double const speed : {1.0, 0.1, 1.0 / 3}) {
        CAPTURE_ALL(side, speed);
        std::vector<double> const speeds(static_cast<std::size_t>(side * side), speed);
        SquarePartition const partition = nagamochi_abe(speeds);
        for (Rectangle const& r : partition.rectangles) {
          CHECK(r.width == doctest::Approx(1.0 / side).epsilon(1e-12));
          CHECK(r.height == doctest::Approx(1.0 / side).epsilon(1e-12));
        }
        CHECK(partition.cost() == doctest::Approx(2 * side).epsilon(1e-12));
      }
  }

  TEST_CASE("a node of speed 0 gets an empty rectangle") {
    SquarePartition const partition = nagamochi_abe(std::vector{0.0, 1.0, 0.0});
    CHECK(partition.rectangles[0].width == 0);
    CHECK(partition.rectangles[1].width == 1);
    CHECK(partition.rectangles[2].height == 0);
    CHECK(partition.cost() == 2);
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("negative speeds and all-zero speeds are refused") {
    CHECK_THROWS_AS(static_cast<void>(nagamochi_abe(std::vector<double>{})), ContractError);
    CHECK_THROWS_AS(static_cast<void>(nagamochi_abe(std::vector{0.0})), ContractError);
    CHECK_THROWS_AS(static_cast<void>(nagamochi_abe(std::vector{1.0, -1.0})), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("the areas of the rectangles are the shares of the speeds and tile the square") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      std::vector<double> const speeds = random_speeds(random, 30, 8);
      auto const rectangles = nagamochi_abe(speeds).rectangles;
      REQUIRE(rectangles.size() == speeds.size());
      double area = 0;
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        double const share = rectangles[i].width * rectangles[i].height;
        CHECK(std::abs(share - speeds[i] / sum(speeds)) < 1e-12);
        CHECK(inside_square(rectangles[i]));
        for (std::size_t j = 0; j < i; ++j) CHECK(overlap(rectangles[i], rectangles[j]) < 1e-12);
        area += share;
      }
      CHECK(std::abs(area - 1) < 1e-12);
    }
  }

  TEST_CASE("its cost is at most 5/4 of the lower bound") {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      std::vector<double> const speeds = random_speeds(random, 30, 8);
      double const cost = nagamochi_abe(speeds).cost();
      CHECK(cost >= lower_bound(speeds) * (1 - 1e-12));
      CHECK(cost <= 1.25 * lower_bound(speeds) * (1 + 1e-12));
    }
  }

  TEST_CASE(
      "no rectangle is longer than three times its width unless a node is over twice as fast as the next") {
    // Theorem of the paper on the aspect ratio: at most max(3, 1 + the largest ratio of neighbours).
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      std::vector<double> speeds = random_speeds(random, 30, 8);
      auto const rectangles = nagamochi_abe(speeds).rectangles;
      std::sort(speeds.begin(), speeds.end());
      double bound = 3;
      for (std::size_t i = 0; i + 1 < speeds.size(); ++i)
        bound = std::max(bound, 1 + speeds[i + 1] / speeds[i]);
      for (Rectangle const& r : rectangles) CHECK(aspect(r) <= bound * (1 + 1e-6));
    }
  }
}
