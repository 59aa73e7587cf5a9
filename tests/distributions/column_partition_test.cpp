#include "distributions/square_partition.hpp"

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
}
