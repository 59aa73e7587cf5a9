#include "distributions/redistribution.hpp"

#include "distributions/block_cyclic.hpp"
#include "distributions/one_by_one.hpp"
#include "distributions/square_partition.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using Tiles = std::vector<std::uint64_t>;

/// Figure 4 of the paper: two nodes without and two with GPUs, 50 x 50 tiles.
TileMap figure_4() { return one_by_one(50, 50, column_partition(std::vector{0.09, 0.09, 1.0, 1.0})); }

std::uint64_t min_moves(Tiles const& have, Tiles const& target) {
  std::uint64_t moves = 0;
  for (std::size_t p = 0; p < have.size(); ++p) moves += have[p] > target[p] ? have[p] - target[p] : 0;
  return moves;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("ICPP21 figure 4: 60 and 60 and 565 and 590 tiles and 318 or 319 to generate") {
    CHECK(lower_tiles_per_node(figure_4(), 4) == Tiles{60, 60, 565, 590});
    CHECK(whole_shares(1275, std::vector{1.0, 1.0, 1.0, 1.0}) == Tiles{318, 319, 319, 319});
  }

  TEST_CASE("ICPP21 figure 4: 890 tiles move from a block-cyclic generation and 517 after Algorithm 2") {
    TileMap const map = figure_4();
    CHECK(moved_tiles(map, block_cyclic(50, 50, {.p = 2, .q = 2})) == 890);
    Tiles const target{318, 319, 319, 319};
    TileMap const generation = redistribute(map, target);
    CHECK(lower_tiles_per_node(generation, 4) == target);
    CHECK(moved_tiles(map, generation) == 517);
    CHECK(min_moves({60, 60, 565, 590}, target) == 517);
  }
}

TEST_SUITE("unit") {
  TEST_CASE("no tile moves if the target is met") {
    TileMap const map = figure_4();
    CHECK(redistribute(map, Tiles{60, 60, 565, 590}).owner == map.owner);
  }

  TEST_CASE("the tiles that a node gives are spread over its tiles") {
    // One node gives every second tile along the antidiagonals.
    TileMap map = block_cyclic(4, 4, {.p = 1, .q = 1});
    TileMap const half = redistribute(map, Tiles{5, 5});
    std::vector<std::uint32_t> owners;
    for (int d = 0; d < 7; ++d)
      for (int n = std::max(0, d - 3); 2 * n <= d; ++n) owners.push_back(half.at(d - n, n).value());
    CHECK(owners == std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  }

  TEST_CASE("whole shares sum up and differ from the exact ones by less than one") {
    CHECK(whole_shares(10, std::vector{1.0, 2.0, 1.0}) == Tiles{2, 5, 3});
    CHECK(whole_shares(7, std::vector{0.0, 1.0}) == Tiles{0, 7});
  }
}

TEST_SUITE("property") {
  TEST_CASE("Algorithm 2 meets any target with the fewest moves") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      testing::Random random(seed);
      int const nt = random.between(1, 40), nodes = random.between(1, 9);
      TileMap map{.mt = nt, .nt = nt, .owner = {}};
      for (int i = 0; i < nt * nt; ++i) map.owner.emplace_back(random.between(0, nodes - 1));
      std::vector<double> shares;
      for (int p = 0; p < nodes; ++p) shares.push_back(random.between(1, 100));
      auto const tiles = static_cast<std::uint64_t>(nt * (nt + 1) / 2);
      Tiles const target = whole_shares(tiles, shares);
      CHECK(std::accumulate(target.begin(), target.end(), std::uint64_t{0}) == tiles);
      TileMap const to = redistribute(map, target);
      auto const have = lower_tiles_per_node(map, static_cast<std::size_t>(nodes));
      CHECK(lower_tiles_per_node(to, static_cast<std::size_t>(nodes)) == target);
      CHECK(moved_tiles(map, to) == min_moves(have, target));
    }
  }
}
