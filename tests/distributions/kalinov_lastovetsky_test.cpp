#include "distributions/het_grid.hpp"

#include "distributions/one_dimensional.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

std::vector<double> random_speeds(Random& random, int nodes) {
  std::vector<double> speeds;
  for (int i = 0; i < nodes; ++i) speeds.push_back(random.between(1, 1000) / 100.0);
  return speeds;
}

double tiles_of(TileMap const& map, int node) {
  return static_cast<double>(std::count(map.owner.begin(), map.owner.end(), NodeId{node}));
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("rows of the grid do not line up from one grid column to the next") {
    // Speeds 3 and 1 on the left, 1 and 1 on the right: two columns of tiles to one.
    TileMap const map = kalinov_lastovetsky(4, 3, {2, 2}, std::vector{3.0, 1.0, 1.0, 1.0});
    std::vector<NodeId> expected;
    for (int const node : {0, 1, 0, 2, 3, 2, 0, 1, 0, 0, 3, 0}) expected.emplace_back(node);
    CHECK(map.owner == expected);
  }

  TEST_CASE("nodes beyond the grid own nothing") {
    TileMap const map = kalinov_lastovetsky(6, 6, {2, 2}, std::vector{1.0, 1.0, 1.0, 1.0, 9.0});
    CHECK(tiles_of(map, 4) == 0);
    CHECK(tiles_of(map, 3) == 9);
  }

  TEST_CASE("nodes and grid columns of speed 0 own nothing") {
    TileMap const map = kalinov_lastovetsky(6, 6, {2, 2}, std::vector{0.0, 1.0, 0.0, 0.0});
    CHECK(tiles_of(map, 1) == 36);
  }

  TEST_CASE("with a panel the map of the panel repeats") {
    std::vector<double> const speeds{1.0, 0.5, 1.0 / 3, 0.2};
    TileMap const one = kalinov_lastovetsky(8, 6, {2, 2}, speeds);
    TileMap const map = kalinov_lastovetsky(19, 17, {2, 2}, speeds, {.rows = 8, .columns = 6});
    for (int m = 0; m < 19; ++m)
      for (int n = 0; n < 17; ++n) CHECK(map.at(m, n) == one.at(m % 8, n % 6));
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("the grid has no more places than there are nodes") {
    CHECK_THROWS_AS(kalinov_lastovetsky(2, 2, {2, 2}, std::vector{1.0, 1.0, 1.0}), ContractError);
    CHECK_THROWS_AS(kalinov_lastovetsky(2, 2, {0, 2}, std::vector{1.0}), ContractError);
    CHECK_THROWS_AS(kalinov_lastovetsky(2, 2, {1, 1}, std::vector{0.0}), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("on equal nodes it is block-cyclic if the grid divides the matrix") {
    for (int p = 1; p <= 4; ++p)
      for (int q = 1; q <= 4; ++q) {
        CAPTURE_ALL(p, q);
        std::vector<double> const speeds(static_cast<std::size_t>(p * q), 0.3);
        CHECK(kalinov_lastovetsky(5 * p, 3 * q, {p, q}, speeds).owner ==
              block_cyclic(5 * p, 3 * q, {p, q}).owner);
      }
  }

  TEST_CASE("each tile has an owner in the grid and no node gets much less than its share") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Grid const grid{random.between(1, 4), random.between(1, 4)};
      std::vector<double> const speeds = random_speeds(random, grid.p * grid.q);
      double total = 0;
      for (double const speed : speeds) total += speed;
      int const mt = random.between(1, 80);
      int const nt = random.between(1, 80);
      TileMap const map = kalinov_lastovetsky(mt, nt, grid, speeds);
      REQUIRE(map.owner.size() == static_cast<std::size_t>(mt * nt));
      double owned = 0;
      for (int node = 0; node < grid.p * grid.q; ++node) {
        owned += tiles_of(map, node);
        // At most one row and one column of tiles below the exact share.
        double const share = speeds[static_cast<std::size_t>(node)] / total * mt * nt;
        CHECK(tiles_of(map, node) >= share - mt - nt);
      }
      CHECK(owned == mt * nt);
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE("IPDPS00 3.1.2: of 61 columns 40 go to cycle-times 1 and 3 and 21 to 2 and 5") {
    using Counts = std::vector<std::uint32_t>;
    CHECK(proportional_counts(61, std::vector{1 + 1.0 / 3, 1.0 / 2 + 1.0 / 5}) == Counts{40, 21});
    CHECK(proportional_counts(4, std::vector{1.0, 1.0 / 3}) == Counts{3, 1});
    CHECK(proportional_counts(7, std::vector{1.0 / 2, 1.0 / 5}) == Counts{5, 2});
  }

  TEST_CASE("IPDPS00 3.1.2: a panel of 28 by 61 tiles balances that grid exactly") {
    TileMap const map = kalinov_lastovetsky(28, 61, {2, 2}, std::vector{1.0, 1.0 / 2, 1.0 / 3, 1.0 / 5});
    CHECK(tiles_of(map, 0) * 1 == 840);
    CHECK(tiles_of(map, 1) * 2 == 840);
    CHECK(tiles_of(map, 2) * 3 == 840);
    CHECK(tiles_of(map, 3) * 5 == 840);
  }
}
