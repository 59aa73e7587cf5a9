// The blocks of each balancer, and the optimum for known curves.

#include "simulator/experiments/balance/balancers.hpp"

#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

Pool with(std::int64_t left) { return {.now = {0}, .left = left, .in_flight = 0}; }

/// Least makespan over all ways to give each worker any number of chunks in one block each.
double brute_force(std::vector<TrueBlockTime> const& times, std::size_t from, std::int64_t chunks) {
  if (from + 1 == times.size()) return chunks > 0 ? times[from](chunks) : 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t own = 0; own <= chunks; ++own)
    best =
        std::min(best, std::max(own > 0 ? times[from](own) : 0, brute_force(times, from + 1, chunks - own)));
  return best;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("guided self-scheduling hands out a share of what is left as long as that is enough") {
    auto const guided = make_balancer({.type = "guided", .min_block = 5}, 4, 100, {});
    for (std::uint32_t w = 0; w < 4; ++w) guided->worker_joined(WorkerId{w}, {0});
    CHECK(guided->next_block(WorkerId{0}, with(100)).chunks == 25);
    CHECK(guided->next_block(WorkerId{1}, with(75)).chunks == 19);
    CHECK(guided->next_block(WorkerId{2}, with(8)).chunks == 5);
    CHECK(guided->next_block(WorkerId{3}, with(3)).chunks == 3);
  }

  TEST_CASE("greedy blocks have one size but the last") {
    auto const greedy = make_balancer({.type = "greedy", .fixed_block = 0.1}, 1, 95, {});
    greedy->worker_joined(WorkerId{0}, {0});
    CHECK(greedy->next_block(WorkerId{0}, with(95)).chunks == 10);
    CHECK(greedy->next_block(WorkerId{0}, with(4)).chunks == 4);
  }

  TEST_CASE("HDSS learns the ratio of speeds in its adaptive phase and shares what is left by it") {
    testing::LoopSetup const setup(
        {1}, {.chunks = 10000, .work = 1e9},
        {CostCurve(CostCurve::Linear{{0}, 1e10}), CostCurve(CostCurve::Linear{{0}, 4e10})});
    DataParallelOutcome const outcome = setup.run("hdss");
    auto const first = std::find_if(outcome.blocks.begin(), outcome.blocks.end(),
                                    [](auto const& b) { return b.phase == BalancePhase::final; });
    REQUIRE(first != outcome.blocks.end());
    // A block of the completion phase is half of its worker's share of what is left.
    std::int64_t left = 10000;
    for (auto block = outcome.blocks.begin(); block != first; ++block) left -= block->chunks;
    double const share = first->worker == WorkerId{1} ? 0.8 : 0.2;
    CHECK(2 * static_cast<double>(first->chunks) ==
          doctest::Approx(share * static_cast<double>(left)).epsilon(0.01));
    // Rounds end together: no block of the completion phase starts before all adaptive blocks have ended.
    for (auto const& block : outcome.blocks)
      if (block.phase == BalancePhase::initial) CHECK(block.end <= first->start);
  }

  TEST_CASE("an unknown balancer is refused") {
    CHECK_THROWS_AS(make_balancer({.type = "best"}, 1, 1, {}), std::out_of_range);
  }
}

TEST_SUITE("property") {
  TEST_CASE("the static optimum is the least makespan of whole chunks") {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::vector<TrueBlockTime> times;
      for (int w = 0; w < 3; ++w) {
        // A startup makes one block the best way to do any number of chunks.
        double const startup = testing::uniform_between(random, 0, 2),
                     each = testing::uniform_between(random, 0.1, 5);
        times.push_back([=](std::int64_t chunks) { return startup + each * static_cast<double>(chunks); });
      }
      auto const chunks = static_cast<std::int64_t>(1 + random() % 25);
      StaticOptimum const optimum = static_optimum(times, chunks);
      CHECK(optimum.makespan.value == doctest::Approx(brute_force(times, 0, chunks)).epsilon(1e-12));
      std::int64_t sum = 0;
      for (auto const& blocks : optimum.blocks) sum = std::accumulate(blocks.begin(), blocks.end(), sum);
      CHECK(sum == chunks);
    }
  }
}
