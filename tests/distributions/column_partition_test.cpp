#include "distributions/square_partition.hpp"

#include "distributions/block_cyclic.hpp"
#include "distributions/constrained.hpp"
#include "distributions/tiles_sent.hpp"
#include "tests/distributions/random_speeds.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

double total(std::vector<double> const& speeds) { return std::accumulate(speeds.begin(), speeds.end(), 0.0); }

/// Returns the minimum cost over all assignments of nodes to columns, sorted or not.
double cheapest(std::vector<double> const& speeds, std::vector<std::vector<double>>& columns,
                std::size_t node) {
  if (node == speeds.size()) {
    double cost = 0;
    for (auto const& column : columns)
      cost += 1 + static_cast<double>(column.size()) * total(column) / total(speeds);
    return cost;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c <= columns.size(); ++c) {
    if (c == columns.size()) columns.emplace_back();
    columns[c].push_back(speeds[node]);
    best = std::min(best, cheapest(speeds, columns, node + 1));
    columns[c].pop_back();
    if (columns.back().empty()) {
      columns.pop_back();
      break;
    }
  }
  return best;
}

/// First the slow nodes of speed 1, then the fast ones.
std::vector<double> two_kinds(int slow, int fast, double ratio) {
  std::vector<double> speeds(static_cast<std::size_t>(slow), 1);
  speeds.insert(speeds.end(), static_cast<std::size_t>(fast), ratio);
  return speeds;
}

std::uint64_t sent(int nt, std::vector<double> const& speeds) {
  return lu_tiles_sent(one_by_one(nt, nt, column_partition(speeds)));
}

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
  TEST_CASE("the fastest nodes are in the right-most column at the bottom") {
    SquarePartition const p = column_partition(std::vector<double>{2, 1, 1, 2, 1});
    REQUIRE_FALSE(p.columns.empty());
    CHECK(p.columns.back().back() == 3);
    CHECK(p.columns.front().front() == 1);
    CHECK(p.rectangles[3].left + p.rectangles[3].width == doctest::Approx(1));
    CHECK(p.rectangles[3].top + p.rectangles[3].height == doctest::Approx(1));
  }

  TEST_CASE("of partitions of equal cost the one with the fewest columns is taken") {
    // Two equal nodes: one column costs 1 + 2, two columns 2 + 1.
    CHECK(column_partition(std::vector<double>{1, 1}).columns.size() == 1);
  }

  TEST_CASE("the virtual grid extends the borders of the partition from side to side") {
    // One node on the left half, two stacked on the right.
    VirtualGrid const grid = virtual_grid(
        {.rectangles = {{0, 0, 0.5, 1}, {0.5, 0, 0.5, 0.25}, {0.5, 0.25, 0.5, 0.75}}, .columns = {}});
    CHECK(grid.widths == std::vector<double>{0.5, 0.5});
    CHECK(grid.heights == std::vector<double>{0.25, 0.75});
    CHECK(grid.at(0, 0) == NodeId{0});
    CHECK(grid.at(1, 0) == NodeId{0});
    CHECK(grid.at(0, 1) == NodeId{1});
    CHECK(grid.at(1, 1) == NodeId{2});
  }

  TEST_CASE("equal nodes on a square grid get as many tiles as with block-cyclic") {
    TileMap const map = one_by_one(60, 60, column_partition(std::vector<double>(9, 1.0)));
    CHECK(lu_tiles_sent(map) == lu_tiles_sent(block_cyclic(60, 60, {3, 3})));
  }

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
  TEST_CASE("no other column partition is cheaper") {
    Random random(5);
    for (int i = 0; i < 60; ++i) {
      std::vector<double> const speeds = random_speeds(random, 7, 2);
      CAPTURE(speeds.size());
      std::vector<std::vector<double>> columns;
      CHECK(column_partition(speeds).cost() == doctest::Approx(cheapest(speeds, columns, 0)).epsilon(1e-9));
    }
  }

  TEST_CASE("areas are the shares of the speeds and the cost lies between its bounds") {
    Random random(6);
    for (int i = 0; i < 300; ++i) {
      std::vector<double> const speeds = random_speeds(random, 40, 6);
      SquarePartition const p = column_partition(speeds);
      for (std::size_t n = 0; n < speeds.size(); ++n)
        CHECK(p.rectangles[n].width * p.rectangles[n].height ==
              doctest::Approx(speeds[n] / total(speeds)).epsilon(1e-9));
      CHECK(p.cost() >= partition_lower_bound(speeds) * (1 - 1e-12));
      CHECK(p.cost() <= 1.75 * std::max(partition_lower_bound(speeds), 2.0));  // Algorithmica 2002
    }
  }

  TEST_CASE("every tile has an owner and tiles are shared by speed within a row and a column") {
    Random random(7);
    for (int i = 0; i < 200; ++i) {
      std::vector<double> const speeds = random_speeds(random, 12, 1);
      double const total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
      int const nt = random.between(1, 60);
      bool const columns = random.chance(50);
      SquarePartition const partition = columns ? column_partition(speeds) : nagamochi_abe(speeds);
      VirtualGrid const grid = virtual_grid(partition);
      TileMap const map =
          one_by_one(nt, nt, partition, random.chance(50) ? TieRule::highest : TieRule::lowest);
      std::vector<double> tiles(speeds.size(), 0);
      for (NodeId const owner : map.owner) {
        REQUIRE(owner.index() < speeds.size());
        ++tiles[owner.index()];
      }
      // Each of the node's virtual rows and columns differs from its share by less than one tile.
      for (std::size_t n = 0; n < speeds.size(); ++n) {
        auto const& r = partition.rectangles[n];
        double const rows = static_cast<double>(grid.heights.size());
        double const across = static_cast<double>(grid.widths.size());
        double const expected = speeds[n] / total * nt * nt;
        CHECK(std::abs(tiles[n] - expected) <= rows * r.width * nt + across * r.height * nt + rows * across);
      }
    }
  }

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

TEST_SUITE("published") {
  TEST_CASE(
      "ICPADS20 VI-B: 1Dx1D of 100 x 100 tiles on 14 slow and 8 fast nodes sends one tile more than the "
      "printed 35417") {
    CHECK(sent(100, two_kinds(14, 8, 3.30)) == 35'418);  // no ratio gives the printed number
  }

  TEST_CASE("ICPADS20 figure 3: the columns of 14 slow and 7 fast nodes") {
    CHECK(column_partition(two_kinds(14, 7, 2)).columns ==
          std::vector<std::vector<std::uint32_t>>{
              {0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, {12, 13, 14, 15, 16}, {17, 18, 19, 20}});
  }
}
