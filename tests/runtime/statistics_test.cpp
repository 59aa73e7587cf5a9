#include "simulator/runtime/node/run_observer.hpp"

#include "simulator/runtime/node/outcome.hpp"
#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

PowerSpec const power{.core = 10, .gpu = 200, .idle = 100, .off = 5};

/// `busy`: seconds of the GPU, and of two cores.
SimulationOutcome::Node node(double first, double last, double last_send, std::vector<double> const& busy) {
  SimulationOutcome::Node out;
  out.first_task = Seconds{first};
  out.last_task = Seconds{last};
  out.last_send = Seconds{last_send};
  for (std::size_t w = 0; w < busy.size(); ++w) out.busy_energy += Joules{(w == 0 ? 200 : 10) * busy[w]};
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("utilization counts busy time over workers and makespan also within the first 90 percent") {
    Statistics statistics(/*nodes=*/1, /*kernels=*/2, /*workers=*/2);
    statistics.task_ran(0, 0, 0, Joules{40}, {0}, {4});
    statistics.task_ran(0, 0, 1, Joules{120}, {0}, {6});
    statistics.task_ran(0, 1, 1, Joules{2}, {8}, {10});
    SimulationOutcome const out = statistics.finish();
    CHECK(out.makespan.value == 10);
    CHECK(out.utilization == doctest::Approx(12.0 / 20));
    CHECK(out.utilization_first_90 == doctest::Approx(11.0 / 18));
    CHECK(out.nodes[0].busy.value == doctest::Approx(12));
    CHECK(out.nodes[0].busy_energy.value == doctest::Approx(4 * 10 + 6 * 20 + 2));
    CHECK(out.nodes[0].first_task.value == 0);
    CHECK(out.nodes[0].last_task.value == 10);
    CHECK(out.tasks_by_kernel == std::vector<std::uint64_t>{1, 2});
    CHECK(out.nodes[0].tasks_by_worker == std::vector<std::uint64_t>{2, 1});
    CHECK(out.nodes[0].busy_by_worker == std::vector<double>{10, 2});
  }

  TEST_CASE("utilization of the first 90 percent is exact when many kernels straddle it") {
    Statistics statistics(1, 1, 3);
    double in_window = 0;
    for (int i = 0; i < 1000; ++i) {
      double const start = i, end = i + 2.5;
      statistics.task_ran(0, 0, 0, Joules{0}, {start}, {end});
      in_window += std::max(0.0, std::min(end, 0.9 * 1001.5) - start);
    }
    CHECK(statistics.finish().utilization_first_90 ==
          doctest::Approx(in_window / (0.9 * 1001.5 * 3)).epsilon(1e-12));
  }

  TEST_CASE("a node consumes idle power until the makespan and more while kernels run") {
    Energy const e = energy_of(node(1, 10, 0, {3, 4, 2}), power, Seconds{10});
    CHECK(e.idle.value == 1000);
    CHECK(e.busy.value == 3 * 200 + (4 + 2) * 10);
    CHECK(e.total().value == 1660);
    CHECK(e.total_with_power_off().value == 1660);
    CHECK_FALSE(e.powered_off);
  }

  TEST_CASE("a node is powered off after its last task or its last message whichever is later") {
    Energy const task = energy_of(node(1, 6, 4, {}), power, Seconds{10});
    CHECK(task.idle.value == 1000);
    CHECK(task.idle_with_power_off.value == 6 * 100 + 4 * 5);
    CHECK(task.powered_off);
    Energy const message = energy_of(node(1, 6, 8, {}), power, Seconds{10});
    CHECK(message.idle_with_power_off.value == 8 * 100 + 2 * 5);
    Energy const never_on = energy_of(node(0, 0, 0, {}), power, Seconds{10});
    CHECK(never_on.total_with_power_off().value == 10 * 5);
  }

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
        message_of(run).starts_with("node 1 (test) needs 4 MB at 2.03 s for its own tiles and those that it "
                                    "received and still needs, and has a RAM of 3 MB (\"ram_bytes\" of its "
                                    "type). Use more nodes, "));
    platform.types[0].ram = tile * 4;
    SimulationOutcome const out = run();
    CHECK(out.nodes[1].over_memory_bytes == 0);
    CHECK(out.nodes[1].peak_memory_bytes == 4 * tile.value);
  }
}
