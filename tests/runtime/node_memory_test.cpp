// Energy of a node, and its memory while other nodes need its tiles.

#include "factosim/error.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

TEST_SUITE("unit") {
  TEST_CASE("a node that has only to send is on until its message has arrived") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    Platform platform = platform_of(2, 1, 0);
    platform.types[0].power = {.core = 10, .idle = 100, .off = 5};
    SimulationOutcome const out = simulate(f.graph(), on_nodes({0, 1}), platform, no_overheads()).outcome;
    double const sent = core_time + 2e-6 + 1e-2;
    double const end = sent + core_time;
    CHECK(out.nodes[0].last_task.value == doctest::Approx(core_time).epsilon(1e-9));
    CHECK(out.nodes[0].last_send.value == doctest::Approx(sent).epsilon(1e-9));
    Energy const first = energy_of(out.nodes[0], platform.types[0].power, out.makespan);
    Energy const second = energy_of(out.nodes[1], platform.types[0].power, out.makespan);
    CHECK(first.total().value == doctest::Approx(100 * end + 10 * core_time).epsilon(1e-9));
    CHECK(first.total_with_power_off().value ==
          doctest::Approx(100 * sent + 5 * core_time + 10 * core_time).epsilon(1e-9));
    CHECK(second.total_with_power_off() == second.total());
  }

  TEST_CASE("a node that receives more than its RAM holds is infeasible") {
    // Node 0 sends its three tiles at once; node 1 has room for its own and two of them.
    Flow f(4);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    for (int h = 0; h < 3; ++h) f.task({{h, r}, {3, rw}});
    Platform platform = platform_of(2, 3, 0);
    platform.types[0].ram = tile * 3;
    RuntimeOptions const o = no_overheads();
    auto const run = [&] { return simulate(f.graph_copy(), on_nodes({0, 0, 0, 1}), platform, o).outcome; };
    CHECK_THROWS_AS(run(), InfeasibleError);
    CHECK(
        message_of(run).starts_with("node 1 (test) needs 4000000 bytes at 2.03 s and has a RAM of "
                                    "3000000 (its own tiles and those that it "
                                    "received and still needs). Use more nodes, "));
    platform.types[0].ram = tile * 4;
    SimulationOutcome const out = run();
    CHECK(out.nodes[1].over_memory_bytes == 0);
    CHECK(out.nodes[1].peak_memory_bytes == 4 * tile.value);
  }
}
