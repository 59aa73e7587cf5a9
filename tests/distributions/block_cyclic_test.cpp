#include "distributions/block_cyclic.hpp"

#include "distributions/tiles_sent.hpp"
#include "tests/distributions/closed_forms.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

TileMap full_pattern(int nodes) {
  Grid const period = generalised_2dbc_period(nodes);
  return generalised_2dbc(period.p, period.q, nodes);
}

/// Distinct nodes of a row and of a column, averaged over all rows and columns.
double nodes_of_row_and_column(TileMap const& map) {
  double rows = 0;
  double columns = 0;
  for (int m = 0; m < map.mt; ++m) {
    std::set<NodeId> row;
    for (int n = 0; n < map.nt; ++n) row.insert(map.at(m, n));
    rows += static_cast<double>(row.size());
  }
  for (int n = 0; n < map.nt; ++n) {
    std::set<NodeId> column;
    for (int m = 0; m < map.mt; ++m) column.insert(map.at(m, n));
    columns += static_cast<double>(column.size());
  }
  return rows / map.mt + columns / map.nt;
}

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

struct Pattern {
  int r;
  SbcVariant variant;
};

/// All patterns with 2 <= r <= maximum.
std::vector<Pattern> patterns(int maximum) {
  std::vector<Pattern> all;
  for (int r = 2; r <= maximum; ++r) {
    all.push_back({r, SbcVariant::extended});
    if (r % 2 == 0) all.push_back({r, SbcVariant::basic});
  }
  return all;
}

std::vector<int> lower_tiles(TileMap const& map, int nodes) {
  std::vector<int> tiles(static_cast<std::size_t>(nodes), 0);
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n <= m; ++n) ++tiles.at(map.at(m, n).index());
  return tiles;
}

}  // namespace

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

  TEST_CASE("five nodes make a pattern of 2x5") {
    // 0 1 2 and 3 4 with one gap below 2: the pattern once, then its first two columns.
    TileMap const map = full_pattern(5);
    CHECK(map.mt == 2);
    CHECK(map.nt == 5);
    std::vector<NodeId> expected;
    for (int const node : {0, 1, 2, 0, 1, 3, 4, 2, 3, 4}) expected.emplace_back(node);
    CHECK(map.owner == expected);
  }

  TEST_CASE("the gap is filled by another row in each strip") {
    // 7 nodes: 0 1 2, 3 4 5, 6 and two free cells.
    TileMap const map = full_pattern(7);
    CHECK(map.mt == 6);
    CHECK(map.nt == 7);
    auto const row = [&](int m) {
      std::vector<std::uint32_t> nodes;
      for (int n = 0; n < 7; ++n) nodes.push_back(map.at(m, n).value());
      return nodes;
    };
    CHECK(row(1) == std::vector<std::uint32_t>{3, 4, 5, 3, 4, 5, 3});
    CHECK(row(2) == std::vector<std::uint32_t>{6, 1, 2, 6, 1, 2, 6});
    CHECK(row(5) == std::vector<std::uint32_t>{6, 4, 5, 6, 4, 5, 6});
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("there is at least one node") { CHECK_THROWS_AS(generalised_2dbc(2, 2, 0), ContractError); }
#endif

  TEST_CASE("the basic pattern of size 4 has 6 nodes off the diagonal and 2 on it") {
    TileMap const map = symmetric_block_cyclic(4, 4, SbcVariant::basic);
    std::vector<NodeId> expected;
    for (int const node : {6, 0, 1, 3, 0, 7, 2, 4, 1, 2, 6, 5, 3, 4, 5, 7}) expected.emplace_back(node);
    CHECK(map.owner == expected);
  }

  TEST_CASE("the extended pattern of size 3 has its 3 nodes on the diagonal too") {
    TileMap const map = symmetric_block_cyclic(3, 3, SbcVariant::extended);
    std::vector<NodeId> expected;
    for (int const node : {0, 0, 1, 0, 2, 2, 1, 2, 1}) expected.emplace_back(node);
    CHECK(map.owner == expected);
  }

  TEST_CASE("sizes are found for exactly the numbers of nodes that have one") {
    CHECK(sbc_size(1, SbcVariant::extended) == 2);
    CHECK(sbc_size(3, SbcVariant::extended) == 3);
    CHECK(sbc_size(28, SbcVariant::extended) == 8);
    CHECK(sbc_size(36, SbcVariant::extended) == 9);
    CHECK_FALSE(sbc_size(35, SbcVariant::extended).has_value());
    CHECK(sbc_size(2, SbcVariant::basic) == 2);
    CHECK(sbc_size(32, SbcVariant::basic) == 8);
    CHECK_FALSE(sbc_size(36, SbcVariant::basic).has_value());
    CHECK_FALSE(sbc_size(0, SbcVariant::basic).has_value());
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a basic pattern has an even size and none is smaller than 2") {
    CHECK_THROWS_AS(symmetric_block_cyclic(9, 3, SbcVariant::basic), ContractError);
    CHECK_THROWS_AS(symmetric_block_cyclic(9, 1, SbcVariant::extended), ContractError);
  }
#endif
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

  TEST_CASE("each node has equally many cells of the pattern") {
    for (int nodes = 1; nodes <= 60; ++nodes) {
      CAPTURE(nodes);
      TileMap const map = full_pattern(nodes);
      auto const cells = static_cast<std::ptrdiff_t>(map.owner.size());
      for (int node = 0; node < nodes; ++node)
        CHECK(std::count(map.owner.begin(), map.owner.end(), NodeId{node}) * nodes == cells);
    }
  }

  TEST_CASE("a row and a column have few nodes") {
    // The bound of the paper, and the average in closed form: a + (b^2 (a - c) + (b - 1)^2 c) / P.
    for (int nodes = 1; nodes <= 60; ++nodes) {
      CAPTURE(nodes);
      double const root = std::sqrt(nodes);
      double const a = std::ceil(root);
      double const b = std::ceil(nodes / a);
      double const c = a * b - nodes;
      double const counted = nodes_of_row_and_column(full_pattern(nodes));
      CHECK(counted == doctest::Approx(a + (b * b * (a - c) + (b - 1) * (b - 1) * c) / nodes).epsilon(1e-12));
      CHECK(counted <= 2 * root + 2 / root);
    }
  }

  TEST_CASE("without a gap the pattern is block-cyclic") {
    for (int const nodes : {1, 2, 4, 6, 9, 12, 16, 20, 25, 30, 36, 100}) {
      CAPTURE(nodes);
      CHECK(generalised_2dbc(23, 31, nodes).owner == block_cyclic(23, 31, most_square_grid(nodes)).owner);
    }
  }

  TEST_CASE("LU on a prime number of nodes sends fewer tiles than on a row of nodes") {
    for (int nodes = 5; nodes <= 60; ++nodes) {
      if (!is_prime(nodes)) continue;
      CAPTURE(nodes);
      CHECK(lu_tiles_sent(generalised_2dbc(100, 100, nodes)) <
            testing::block_cyclic_lu_tiles_sent(100, most_square_grid(nodes)));
    }
  }

  TEST_CASE("tile (m and n) and tile (n and m) have the same owner and all owners are in range") {
    for (Pattern const p : patterns(9))
      for (int const nt : {1, p.r, 5 * p.r + 2}) {
        CAPTURE_ALL(p.r, nt);
        TileMap const map = symmetric_block_cyclic(nt, p.r, p.variant);
        for (int m = 0; m < nt; ++m)
          for (int n = 0; n < nt; ++n) {
            CHECK(map.at(m, n) == map.at(n, m));
            CHECK(map.at(m, n).value() < static_cast<unsigned>(sbc_nodes(p.r, p.variant)));
          }
      }
  }

  TEST_CASE("rows and columns have r nodes in the basic variant and r - 1 in the extended one") {
    for (Pattern const p : patterns(10)) {
      CAPTURE(p.r);
      int const nt = p.r * p.r;
      TileMap const map = symmetric_block_cyclic(nt, p.r, p.variant);
      for (int m = 0; m < nt; ++m) {
        std::set<NodeId> row;
        for (int n = 0; n < nt; ++n) row.insert(map.at(m, n));
        CHECK(static_cast<int>(row.size()) == (p.variant == SbcVariant::basic ? p.r : p.r - 1));
      }
    }
  }

  TEST_CASE("extended diagonals go to r nodes per turn and to all equally over all turns") {
    for (int r = 4; r <= 15; ++r) {
      CAPTURE(r);
      int const turns = r % 2 == 1 ? (r - 1) / 2 : r - 1;
      TileMap const map = symmetric_block_cyclic(turns * r, r, SbcVariant::extended);
      std::multiset<NodeId> all;
      for (int turn = 0; turn < turns; ++turn) {
        std::set<NodeId> of_turn;
        for (int d = 0; d < r; ++d) of_turn.insert(map.at(turn * r + d, turn * r + d));
        CHECK(static_cast<int>(of_turn.size()) == r);
        all.insert(of_turn.begin(), of_turn.end());
      }
      for (int node = 0; node < sbc_nodes(r, SbcVariant::extended); ++node)
        CHECK(all.count(NodeId{node}) == (r % 2 == 1 ? 1 : 2));
    }
  }

  TEST_CASE("nodes own almost equally many tiles of the lower triangle of a large matrix") {
    for (Pattern const p : patterns(12)) {
      CAPTURE(p.r);
      int const nt = 40 * p.r;
      int const nodes = sbc_nodes(p.r, p.variant);
      auto const tiles = lower_tiles(symmetric_block_cyclic(nt, p.r, p.variant), nodes);
      double const share = nt * (nt + 1.0) / 2 / nodes;
      // Nodes differ on the 40 patterns cut by the diagonal of the matrix, and in an incomplete last turn.
      CHECK(*std::max_element(tiles.begin(), tiles.end()) < 1.06 * share);
      CHECK(*std::min_element(tiles.begin(), tiles.end()) > 0.94 * share);
    }
  }

  TEST_CASE("no tile is sent to more than r - 1 nodes or r - 2 in the extended variant") {
    for (Pattern const p : patterns(12)) {
      CAPTURE(p.r);
      int const nt = 4 * p.r + 1;
      auto const maximum = static_cast<std::uint64_t>(p.variant == SbcVariant::basic ? p.r - 1 : p.r - 2);
      auto const tiles = static_cast<std::uint64_t>(nt * (nt + 1) / 2);
      CHECK(cholesky_tiles_sent(symmetric_block_cyclic(nt, p.r, p.variant)) <= maximum * tiles);
    }
  }

  TEST_CASE(
      "Cholesky sends fewer tiles than on the most square grid by a factor of about the square root of 2") {
    // In the limit (p + q - 2) / (r - 1) for basic, over r - 2 for extended: 10 / 7 for these numbers of
    // nodes.
    for (Pattern const p : {Pattern{8, SbcVariant::basic}, Pattern{9, SbcVariant::extended}}) {
      CAPTURE(p.r);
      int const nt = 120;
      Grid const grid = most_square_grid(sbc_nodes(p.r, p.variant));
      auto const cyclic = static_cast<double>(cholesky_tiles_sent(block_cyclic(nt, nt, grid)));
      auto const symmetric =
          static_cast<double>(cholesky_tiles_sent(symmetric_block_cyclic(nt, p.r, p.variant)));
      CHECK(cyclic / symmetric > 1.35);
      CHECK(cyclic / symmetric < 1.5);
    }
  }
}
