#include "distributions/generalised_2dbc.hpp"

#include "distributions/tiles_sent.hpp"
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

}  // namespace

TEST_SUITE("unit") {
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
}

TEST_SUITE("property") {
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
            block_cyclic_lu_tiles_sent(100, most_square_grid(nodes)));
    }
  }
}
