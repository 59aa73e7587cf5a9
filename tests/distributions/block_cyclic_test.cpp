#include "distributions/block_cyclic.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a 2x3 grid repeats down and to the right") {
    TileMap const map = block_cyclic(3, 4, {2, 3});
    CHECK(map.mt == 3);
    CHECK(map.nt == 4);
    std::vector<NodeId> expected;
    for (int const node : {0, 1, 2, 0, 3, 4, 5, 3, 0, 1, 2, 0}) expected.emplace_back(node);
    CHECK(map.owner == expected);
    CHECK(map.at(1, 2) == NodeId{5});
  }

  TEST_CASE("grids are as square as the number of nodes allows and have no more rows than columns") {
    auto const is = [](Grid g, int p, int q) { return g.p == p && g.q == q; };
    CHECK(is(most_square_grid(1), 1, 1));
    CHECK(is(most_square_grid(2), 1, 2));
    CHECK(is(most_square_grid(4), 2, 2));
    CHECK(is(most_square_grid(12), 3, 4));
    CHECK(is(most_square_grid(13), 1, 13));
    CHECK(is(most_square_grid(22), 2, 11));
    CHECK(is(most_square_grid(36), 6, 6));
  }
}

TEST_SUITE("property") {
  TEST_CASE("no other factorization of the number of nodes is nearer to a square") {
    for (int nodes = 1; nodes <= 2000; ++nodes) {
      CAPTURE(nodes);
      Grid const grid = most_square_grid(nodes);
      CHECK(grid.p * grid.q == nodes);
      CHECK(grid.p <= grid.q);
      bool nearer = false;
      for (int p = grid.p + 1; p * p <= nodes; ++p) nearer = nearer || nodes % p == 0;
      CHECK_FALSE(nearer);
    }
  }

  TEST_CASE("each node owns the same number of tiles if the grid divides the matrix") {
    for (int p = 1; p <= 5; ++p)
      for (int q = 1; q <= 5; ++q) {
        CAPTURE_ALL(p, q);
        TileMap const map = block_cyclic(3 * p, 2 * q, {p, q});
        for (int node = 0; node < p * q; ++node)
          CHECK(std::count(map.owner.begin(), map.owner.end(), NodeId{node}) == 6);
      }
  }
}
