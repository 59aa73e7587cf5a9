#include "distributions/tiles_sent.hpp"

#include "distributions/block_cyclic.hpp"
#include "distributions/constrained.hpp"
#include "distributions/multiphase_lp.hpp"
#include "distributions/square_partition.hpp"
#include "models/applications/application.hpp"
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

constexpr double never = std::numeric_limits<double>::infinity();

PhaseSteps steps_of_exageostat(int nt) { return application("exageostat").phase_steps(nt); }

PhaseGroups groups_of(std::vector<std::vector<double>> const& seconds) {
  PhaseGroups out{.groups = {}, .type_of = {}, .flops = {1, 1, 3, 3, 6}};
  for (std::uint32_t t = 0; t < seconds.size(); ++t) {
    out.groups.push_back({.node_type = t, .name = "group", .seconds = seconds[t]});
    out.type_of.push_back(t);
  }
  return out;
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

  TEST_CASE("steps contain all tasks of an iteration") {
    double const nt = 101;
    PhaseSteps const steps = steps_of_exageostat(101);
    CHECK(steps.size() == 101);
    std::vector<double> sum(5, 0);
    for (auto const& step : steps)
      for (std::size_t t = 0; t < 5; ++t) sum[t] += step[t];
    CHECK(sum == std::vector<double>{nt * (nt + 1) / 2, nt, nt * (nt - 1) / 2, nt * (nt - 1) / 2,
                                     nt * (nt - 1) * (nt - 2) / 6});
  }

  TEST_CASE("the optimum for one tile and for three tiles on one worker") {
    PhaseLoads const one = phase_loads(steps_of_exageostat(1), groups_of({{2, 1, 1, 1, 1}}));
    CHECK(one.generation_end_s == doctest::Approx(2));
    CHECK(one.makespan_s == doctest::Approx(3));
    CHECK(one.objective_sum == doctest::Approx(5));
    // Step 0: tiles (0,0) and (1,0). G = 1 (18), 2; F = 4 (17), then 7 (17).
    PhaseLoads const three = phase_loads(steps_of_exageostat(2), groups_of({{1, 1, 1, 1, 1}}));
    CHECK(three.generation_end[0] == doctest::Approx(1));
    CHECK(three.generation_end[1] == doctest::Approx(2));
    CHECK(three.factorization_end[0] == doctest::Approx(4));
    CHECK(three.factorization_end[1] == doctest::Approx(7));
    CHECK(three.objective_sum == doctest::Approx(14));
    CHECK(three.generation == std::vector<double>{3});
    CHECK(three.factorization[0] == doctest::Approx(1 + 1 + 3 + 3));
  }

  TEST_CASE("groups that cannot generate or factorize get no such tasks") {
    PhaseLoads const loads =
        phase_loads(steps_of_exageostat(20),
                    groups_of({{1, never, never, never, never}, {never, 1, 1, 1, 1}, {2, 3, 3, 3, 3}}));
    CHECK(loads.factorization[0] == 0);
    CHECK(loads.generation[1] == 0);
    CHECK(std::accumulate(loads.generation.begin(), loads.generation.end(), 0.0) == doctest::Approx(210));
    CHECK_THROWS_AS(phase_loads(steps_of_exageostat(2), groups_of({{never, 1, 1, 1, 1}})), InfeasibleError);
  }

  TEST_CASE("nodes of one type share the load of their groups") {
    PhaseGroups groups = groups_of({{1, 1, 1, 1, 1}});
    groups.type_of = {0, 0, 0};
    CHECK(phase_loads(steps_of_exageostat(2), groups).generation == std::vector<double>{1, 1, 1});
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

  TEST_CASE("the makespan of the linear program is at least the work divided by all workers") {
    for (int const nt : {5, 20, 60}) {
      std::vector<std::vector<double>> const seconds{{0.1, 0.01, 0.02, 0.02, 0.03},
                                                     {never, never, 0.01, 0.003, 0.004}};
      PhaseLoads const loads = phase_loads(steps_of_exageostat(nt), groups_of(seconds));
      for (std::size_t r = 0; r < 2; ++r) {
        double busy = 0;
        for (std::size_t t = 0; t < 5; ++t)
          if (loads.tasks[r][t] > 0) busy += loads.tasks[r][t] * seconds[r][t];
        CHECK(busy <= loads.makespan_s * (1 + 1e-9));
      }
      for (std::size_t s = 1; s < loads.factorization_end.size(); ++s) {
        CHECK(loads.generation_end[s] >= loads.generation_end[s - 1] - 1e-9);
        CHECK(loads.factorization_end[s] >= loads.factorization_end[s - 1] - 1e-9);
        CHECK(loads.factorization_end[s] >= loads.generation_end[s] - 1e-9);
      }
    }
  }
}
