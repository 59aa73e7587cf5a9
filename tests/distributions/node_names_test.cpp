// Maps that differ only in the names of equal nodes are the same.

#include "distributions/node_names.hpp"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <random>

#include "distributions/list_schedule.hpp"

using namespace factosim;

namespace {

/// Nodes of one worker each; an update takes so many seconds, the other kinds half of it.
FactorizationCosts nodes_of(std::initializer_list<double> updates) {
  FactorizationCosts costs{.nodes = {}, .transfer = 0.25};
  for (double const update : updates) {
    NodeCosts& node = costs.nodes.emplace_back();
    node.area = node.alone = {update / 2, update / 2, update / 2, update};
    node.workers.push_back({.count = 1, .seconds = node.alone});
    node.message = 0.25;
  }
  return costs;
}

TileMap owned(int nt, auto const& owner) {
  return tile_map(nt, nt, [&](int m, int n) { return NodeId{owner(m, n)}; });
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("nodes of a kind are numbered as they appear, those of other kinds keep their kind") {
    NodeNames const names(nodes_of({1, 1, 2, 2}), Factorization::lu);
    auto const map = [](std::initializer_list<int> owners) {
      return owned(2, [&](int m, int n) { return owners.begin()[2 * m + n]; });
    };
    CHECK(names.without_names(map({0, 1, 2, 3})) == names.without_names(map({1, 0, 3, 2})));
    CHECK(names.without_names(map({0, 0, 2, 3})) == names.without_names(map({1, 1, 2, 3})));
    CHECK(names.without_names(map({0, 1, 2, 3})) != names.without_names(map({0, 1, 2, 2})));
    CHECK(names.without_names(map({0, 1, 2, 3})) != names.without_names(map({2, 1, 0, 3})));  // another kind
    CHECK(names.without_names(map({0, 1, 1, 1})) != names.without_names(map({2, 3, 3, 3})));
    NodeNames const lower(nodes_of({1, 1, 2, 2}), Factorization::cholesky);
    CHECK(lower.without_names(map({0, 1, 2, 3})) == lower.without_names(map({0, 3, 2, 3})));
  }
}

TEST_SUITE("property") {
  TEST_CASE("maps that are the same without names have the same list schedule") {
    FactorizationCosts const costs = nodes_of({1, 1, 1, 2, 2});
    std::mt19937 random(1);
    for (Factorization const factorization : {Factorization::lu, Factorization::cholesky})
      for (int i = 0; i < 50; ++i) {
        TileMap const map = owned(6, [&](int, int) { return random() % 5; });
        TileMap const renamed = owned(6, [&](int m, int n) {
          return std::array{2, 0, 1, 4, 3}[map.at(m, n).index()];
        });
        NodeNames const names(costs, factorization);
        REQUIRE(names.without_names(map) == names.without_names(renamed));
        CHECK(list_schedule(map, factorization, costs) ==
              doctest::Approx(list_schedule(renamed, factorization, costs)));
      }
  }
}
