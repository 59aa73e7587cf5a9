// 1Dx1D-L: the closed form against sums of work and the choice among the maps that a judge sees.

#include "distributions/selected_map.hpp"

#include "distributions/block_cyclic.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// Nodes of equal workers, each with the seconds of an update; the other kinds take half of it.
FactorizationCosts costs_of(std::vector<std::pair<int, double>> const& workers, double message) {
  FactorizationCosts costs{.nodes = {}, .transfer = message};
  for (auto const& [count, update] : workers) {
    NodeCosts& node = costs.nodes.emplace_back();
    node.alone = {update / 2, update / 2, update / 2, update};
    for (std::size_t kind = 0; kind < task_kinds; ++kind) node.area[kind] = node.alone[kind] / count;
    node.message = message;
  }
  return costs;
}

TileMap random_map(int nt, int nodes, std::mt19937& random) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  for (int i = 0; i < nt * nt; ++i)
    map.owner.emplace_back(static_cast<std::uint32_t>(random() % static_cast<unsigned>(nodes)));
  return map;
}

constexpr std::array both{Factorization::lu, Factorization::cholesky};

/// Judges by the number of tiles sent and of owners, so that neither estimates nor balance are what counts.
Seconds odd_makespan(TileMap const& map) {
  std::set<NodeId> const owners(map.owner.begin(), map.owner.end());
  double changes = 0;
  for (std::size_t i = 1; i < map.owner.size(); ++i) changes += map.owner[i] != map.owner[i - 1] ? 1 : 0;
  return {changes + 10 * static_cast<double>(owners.size())};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("closed form of one worker is its work, and the chain of panels if that is longer") {
    TileMap const map = block_cyclic(9, 9, {.p = 1, .q = 1});
    FactorizationCosts costs = costs_of({{1, 2.0}}, 1);
    auto const loads = iteration_loads(map, Factorization::lu, costs).front();
    CHECK(estimated_makespan(map, Factorization::lu, costs) ==
          doctest::Approx(std::accumulate(loads.begin(), loads.end(), 0.0)));
    costs.nodes[0].area = {
        1e-9, 1e-9, 1e-9,
        1e-9};  // any number of workers; the last panel has no tile to update but its diagonal
    CHECK(estimated_makespan(map, Factorization::lu, costs) == doctest::Approx(9 * 1 + 8 * 1 + 7 * 2));
  }

  TEST_CASE("closed form counts the messages of a panel before the next one") {
    TileMap const map{.mt = 2, .nt = 2, .owner = {NodeId{0}, NodeId{0}, NodeId{0}, NodeId{1}}};
    // getrf 0..1, trsm 1..2 and 2..3 on node 0, both messages ..4, then getrf; node 1 updates no panel
    CHECK(estimated_makespan(map, Factorization::lu, costs_of({{1, 2.0}, {1, 2.0}}, 0.5)) >= 5);
    CHECK(estimated_makespan(map, Factorization::lu, costs_of({{1, 2.0}, {1, 2.0}}, 50)) >= 100);
  }

  TEST_CASE("without a judge the smallest estimate decides, as if none of the judged maps fitted") {
    FactorizationCosts const costs = costs_of({{8, 2.0}, {8, 2.0}, {4, 0.5}, {4, 0.5}}, 0.05);
    for (Factorization const factorization : both) {
      SelectedMap const selected = selected_map(40, factorization, costs, {});
      CHECK(selected.simulations == 0);
      CHECK(estimated_makespan(selected.map, factorization, costs) <=
            estimated_makespan(family_map(40, factorization, costs, {.rounds = 0}), factorization, costs));
      Judge const refuses = [](TileMap const&) { return std::nullopt; };
      CHECK(selected_map(40, factorization, costs, refuses, 20).map.owner == selected.map.owner);
      Judge const any = [](TileMap const&) { return Seconds{1}; };
      CHECK(selected_map(40, factorization, costs, any, 0).map.owner == selected.map.owner);
    }
  }

  TEST_CASE("large matrices are judged on fewer tiles and the map has all of them") {
    FactorizationCosts const costs = costs_of({{8, 2.0}, {4, 0.5}, {4, 0.5}}, 0.05);
    int largest = 0;
    Judge const judge = [&](TileMap const& map) {
      largest = std::max(largest, map.nt);
      return odd_makespan(map);
    };
    SelectedMap const selected = selected_map(400, Factorization::cholesky, costs, judge);
    CHECK(largest == 85);  // 24 simulations of 102 353 tasks
    CHECK(selected.simulations <= 24);
    CHECK(selected.map.nt == 400);
    CHECK(selected.map.owner.size() == 400 * 400);
  }
}

TEST_SUITE("property") {
  TEST_CASE("closed form is never below the work of a node or the chain of one task of each kind a panel") {
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
      int const nt = 2 + i % 9;
      FactorizationCosts const costs = costs_of({{1, 2.0}, {4, 3.0}, {2, 0.5}}, 0.1 * (i % 4));
      TileMap const map = random_map(nt, 3, random);
      for (Factorization const factorization : both) {
        double const estimate = estimated_makespan(map, factorization, costs);
        for (auto const& loads : iteration_loads(map, factorization, costs))
          CHECK(estimate >= std::accumulate(loads.begin(), loads.end(), 0.0) * (1 - 1e-9));
        CHECK(estimate >= nt * 0.25 + (nt - 1) * 0.25 - 1e-9);
      }
    }
  }

  TEST_CASE(
      "selected map is the best of those that were judged, each once, among them the other distributions") {
    std::mt19937 random(7);
    for (int i = 0; i < 6; ++i) {
      std::vector<std::pair<int, double>> workers, doubled;
      for (int p = 0; p < 3 + i; ++p) {
        workers.emplace_back(1 + static_cast<int>(random() % 8), 1.0 + static_cast<double>(random() % 3));
        doubled.emplace_back(workers.back().first, 2 * workers.back().second);
      }
      FactorizationCosts const costs = costs_of(workers, 0.25);
      for (Factorization const factorization : both) {
        std::set<std::vector<NodeId>> judged;
        Seconds best{1e300};
        Judge const judge = [&](TileMap const& map) {
          CHECK(judged.insert(map.owner).second);
          best = std::min(best, odd_makespan(map));
          return odd_makespan(map);
        };
        SelectedMap const selected = selected_map(12, factorization, costs, judge);
        CHECK(odd_makespan(selected.map) == best);
        CHECK(static_cast<std::size_t>(selected.simulations) == judged.size());
        CHECK(selected.simulations <= 100);
        CHECK(judged.contains(family_map(12, factorization, costs, {}).owner));
        CHECK(judged.contains(block_cyclic(12, 12, most_square_grid(3 + i)).owner));
        if (selected.member)
          CHECK(family_map(12, factorization, costs, *selected.member).owner == selected.map.owner);
        Judge const again = [](TileMap const& map) { return odd_makespan(map); };
        CHECK(selected_map(12, factorization, costs, again).map.owner == selected.map.owner);
        CHECK(selected_map(12, factorization, costs_of(doubled, 0.5), again).map.owner == selected.map.owner);
        CHECK(selected_map(12, factorization, costs, again, 9).simulations <= 9);
      }
    }
  }
}
