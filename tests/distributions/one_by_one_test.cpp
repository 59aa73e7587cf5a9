#include "distributions/one_by_one.hpp"

#include "distributions/block_cyclic.hpp"
#include "distributions/square_partition.hpp"
#include "distributions/tiles_sent.hpp"
#include "tests/distributions/random_speeds.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// First the slow nodes of speed 1, then the fast ones.
std::vector<double> two_kinds(int slow, int fast, double ratio) {
  std::vector<double> speeds(static_cast<std::size_t>(slow), 1);
  speeds.insert(speeds.end(), static_cast<std::size_t>(fast), ratio);
  return speeds;
}

std::uint64_t sent(int nt, std::vector<double> const& speeds) {
  return lu_tiles_sent(one_by_one(nt, nt, column_partition(speeds)));
}

}  // namespace

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

TEST_SUITE("unit") {
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
}

TEST_SUITE("property") {
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
}
