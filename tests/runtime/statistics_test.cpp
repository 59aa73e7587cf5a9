#include "simulator/runtime/node/run_observer.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

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

  TEST_CASE("bytes are counted by direction") {
    Statistics statistics(2, 1, 1);
    statistics.message_carried(0, 1, Bytes{7}, Seconds{3});
    statistics.copy_carried(true, false, Bytes{1});
    statistics.copy_carried(false, true, Bytes{2});
    statistics.copy_carried(false, false, Bytes{4});
    SimulationOutcome const out = statistics.finish();
    CHECK(out.tiles_sent == 1);
    CHECK(out.bytes_sent.value == 7);
    CHECK(out.nodes[0].tiles_sent == 1);
    CHECK(out.nodes[1].tiles_received == 1);
    CHECK(out.nodes[0].last_send.value == 3);
    CHECK(out.nodes[1].last_send.value == 0);
    CHECK(out.host_to_device.value == 1);
    CHECK(out.device_to_host.value == 2);
    CHECK(out.device_to_device.value == 4);
  }
}
