// Loops whose chunks are handed out while they run.

#include "simulator/experiments/loops/data_parallel.hpp"

#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using Block = DataParallelOutcome::Block;
using Blocks = std::vector<std::vector<std::int64_t>>;

/// The balancer "static" with these blocks.
std::unique_ptr<Balancer> planned(Blocks blocks) {
  std::size_t const workers = blocks.size();
  return make_balancer({.type = "static"}, workers, 1, {.makespan = {}, .blocks = std::move(blocks)});
}

CostCurve line(double rate, double startup = 0) { return {.startup = {startup}, .rate = rate}; }

/// Two nodes of a CPU and an accelerator each, chunks of one operation.
testing::LoopSetup four_units(std::int64_t chunks) {
  return {{1, 1}, {.chunks = chunks, .work = 1}, {line(5), line(40), line(8), line(25)}};
}

std::int64_t chunks_done(DataParallelOutcome const& outcome) {
  return std::accumulate(outcome.blocks.begin(), outcome.blocks.end(), std::int64_t{0},
                         [](std::int64_t sum, Block const& b) { return sum + (b.lost ? 0 : b.chunks); });
}

constexpr std::uint32_t setups = 100;

struct Ratios {
  double mean = 0, worst = 0;
  std::uint32_t worst_seed = 0;
};

Ratios ratios_of(std::string const& balancer) {
  Ratios out;
  for (std::uint32_t seed = 1; seed <= setups; ++seed) {
    testing::LoopSetup const setup = testing::random_setup(seed);
    double const ratio = setup.run(balancer).makespan / setup.optimum().makespan;
    out.mean += ratio / setups;
    if (ratio > out.worst) out.worst = ratio, out.worst_seed = seed;
  }
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a block lasts its transfers and its computation as by formula") {
    testing::LoopSetup setup({0, 1}, {.chunks = 1000, .work = 2, .bytes_in = 4e6, .bytes_out = 1e6},
                             {line(1), line(1), line(10, 0.5)});
    auto const balancer = planned(Blocks{{}, {}, {1000}});
    DataParallelOutcome const outcome = setup.run(*balancer);
    REQUIRE(outcome.blocks.size() == 1);
    Block const& b = outcome.blocks.front();
    // 4 GB over 4 GB/s with two links of 1 us, then over 10 GB/s with 10 us; a quarter of that back.
    CHECK(b.compute_start.value == doctest::Approx(1 + 2e-6 + 0.4 + 1e-5).epsilon(1e-9));
    CHECK((b.compute_end - b.compute_start).value == doctest::Approx(200.5).epsilon(1e-9));
    CHECK((b.end - b.compute_end).value == doctest::Approx(0.25 + 2e-6 + 0.1 + 1e-5).epsilon(1e-9));
    CHECK(outcome.makespan == b.end);
    CHECK(undisturbed_times(setup.loop, setup.topology)[2](1000) ==
          doctest::Approx(outcome.makespan.value).epsilon(1e-9));
  }

  TEST_CASE("blocks for two nodes share the master's card") {
    testing::LoopSetup setup({0, 0, 0}, {.chunks = 2, .work = 1, .bytes_in = 4e9},
                             {line(1), line(1), line(1)});
    auto const balancer = planned(Blocks{{}, {1}, {1}});
    CHECK(setup.run(*balancer).makespan.value == doctest::Approx(3).epsilon(1e-5));
  }

  TEST_CASE("a competing load slows its worker only while it is there") {
    testing::LoopSetup setup({0}, {.chunks = 10, .work = 1}, {line(1)});
    auto const balancer = planned(Blocks{{10}});
    setup.loop.units[0].loads = {{.from = {2}, .until = {6}, .share = 0.75}};
    CHECK(setup.run(*balancer).makespan.value ==
          doctest::Approx(13).epsilon(1e-9));  // 4 s at a quarter: 3 s lost
    auto const again = planned(Blocks{{10}});
    setup.loop.units[0].loads.push_back({.from = {4}, .until = {100}, .share = 0.5});
    // 2 s, 2 s at 1/4, 2 s at 1/8, and 7.25 s of work at 1/2.
    CHECK(setup.run(*again).makespan.value == doctest::Approx(6 + 2 * 7.25).epsilon(1e-9));
  }

  TEST_CASE("a lost worker loses no chunk under any balancer") {
    for (std::string const& type : balancer_names())
      for (double const date : {0.0, 0.01, 3.0, 11.0, 25.0}) {
        CAPTURE_ALL(type, date);
        testing::LoopSetup setup = four_units(2000);
        setup.loop.units[1].lost = {date};
        DataParallelOutcome const outcome = setup.run(type);  // throws where a chunk is done twice or never
        CHECK(chunks_done(outcome) == 2000);
        for (Block const& b : outcome.blocks)
          if (b.worker == WorkerId{1}) CHECK(b.end <= Seconds{date});
      }
  }

  TEST_CASE("a worker that joins takes its share") {
    for (std::string const type : {"plb-hac", "hdss", "greedy", "guided"}) {
      CAPTURE(type);
      testing::LoopSetup setup = four_units(2000);
      setup.loop.units[1].joins = {5};
      DataParallelOutcome const outcome = setup.run(type);
      CHECK(chunks_done(outcome) == 2000);
      std::int64_t joined = 0;
      for (Block const& b : outcome.blocks)
        if (b.worker == WorkerId{1}) {
          CHECK(b.start >= Seconds{5});
          joined += b.chunks;
        }
      CHECK(joined > 0);
      // 38 chunks a second for 5 s, then 78; PLB-HAC comes close to that.
      if (type == "plb-hac") CHECK(outcome.makespan.value <= 1.05 * (5 + (2000 - 5 * 38) / 78.0));
    }
  }

  TEST_CASE("a loop that loses all its workers has no solution") {
    testing::LoopSetup setup({0}, {.chunks = 10, .work = 1}, {line(1)});
    setup.loop.units[0].lost = {4.5};
    CHECK_THROWS_WITH_AS(setup.run("greedy"),
                         "all workers are lost after 4 of 10 chunks (nobody is left for the others). Keep "
                         "one, or let one join",
                         InfeasibleError);
  }

  TEST_CASE("the same seed gives the same blocks and another one others") {
    testing::LoopSetup setup = four_units(3000);
    setup.loop.deviation = 0.05;
    setup.loop.noise.distribution = NoiseDistribution::lognormal;
    auto const ends = [&](std::uint64_t seed) {
      setup.loop.noise.seed = seed;
      std::vector<double> out;
      for (Block const& b : setup.run("plb-hac").blocks) out.push_back(b.end.value);
      return out;
    };
    CHECK(ends(1) == ends(1));
    CHECK(ends(1) != ends(2));
  }

  TEST_CASE("one chunk for many workers is done once") {
    testing::LoopSetup const setup({2, 2}, {.chunks = 1, .work = 1}, std::vector<CostCurve>(6, line(1)));
    for (std::string const& type : balancer_names()) CHECK(chunks_done(setup.run(type)) == 1);
  }
}

TEST_SUITE("property") {
  TEST_CASE(
      "on 100 random sets of machines PLB-HAC stays within 1.3 times the optimum and beats the others") {
    Ratios const plb_hac = ratios_of("plb-hac");
    MESSAGE(fmt::format("PLB-HAC: mean {:.4f}, worst {:.4f} (seed {})", plb_hac.mean, plb_hac.worst,
                        plb_hac.worst_seed));
    CHECK(plb_hac.worst <= 1.3);
    CHECK(plb_hac.mean <= 1.1);
    for (std::string const other : {"hdss", "greedy", "guided"}) {
      Ratios const ratios = ratios_of(other);
      MESSAGE(fmt::format("{}: mean {:.4f}, worst {:.4f} (seed {})", other, ratios.mean, ratios.worst,
                          ratios.worst_seed));
      CHECK(plb_hac.mean < ratios.mean);
      CHECK(plb_hac.worst < ratios.worst);
    }
  }
}
