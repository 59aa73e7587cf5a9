#include "distributions/symmetric_block_cyclic.hpp"

#include "distributions/block_cyclic.hpp"
#include "distributions/tiles_sent.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

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
