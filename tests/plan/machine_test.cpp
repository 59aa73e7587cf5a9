#include "simulator/tasks/plan/machine.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// 9 cores over 2 NUMA nodes, 2 GPUs; the only kernel is known for cores.
Platform platform() {
  NodeType type;
  type.name = "test";
  type.cores = 9;
  type.numa_nodes = 2;
  type.power = {.core = 6, .gpu = 150};
  type.gpus.resize(2);
  Platform p;
  p.types = {type};
  p.nodes = {0, 0};
  return p;
}

Machine machine(RuntimeOptions const& options) {
  KernelTiming timing;
  timing.kernel = "work";
  timing.worker = "cpu";
  timing.nb = 10;
  timing.mean = Seconds{2};
  timing.deviation = Seconds{0.5};
  KernelModel model;
  model.timings = {timing};
  Kernel kernel;
  kernel.name = "work";
  return build_machine(platform(), std::vector{model}, std::vector{kernel}, {"", Precision::double_, 10},
                       options);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("workers are the GPUs and then the remaining cores spread over the NUMA nodes") {
    Machine const m = machine({.communication_cores = 0});
    auto const& workers = m.types[0].workers;
    REQUIRE(workers.size() == 9);  // two of the cores drive the GPUs
    CHECK(m.first_worker == std::vector<std::uint32_t>{0, 9, 18});
    CHECK(m.types[0].worker_names[1] == "cuda1");
    CHECK(workers[0].memory == LocalMemory{2});
    CHECK(workers[1].memory == LocalMemory{3});
    for (std::size_t w = 2; w < 9; ++w) CHECK(workers[w].memory == LocalMemory{w < 6 ? 0 : 1});
    CHECK(workers[0].busy_power == 150);
    CHECK(workers[8].busy_power == 6);
    CHECK(machine({.cores_per_gpu = 0, .reserved_cores = 3}).types[0].workers.size() == 7);
  }

  TEST_CASE("the duration of a kernel is the mean of its timing or infinite without a timing") {
    Machine const m = machine({});
    CHECK(std::isinf(m.durations(NodeId{1}, 0)[0]));
    CHECK(m.durations(NodeId{1}, 0)[2] == 2);
    CHECK(m.types[0].deviations[2] == 0.5);
  }

  TEST_CASE("a node without a remaining worker is infeasible") {
    CHECK_NOTHROW(machine({.reserved_cores = 9}));  // the GPUs are left
    KernelModel const none;
    Platform p = platform();
    p.types[0].gpus.clear();
    CHECK_THROWS_AS(
        build_machine(p, std::vector{none}, {}, {"", Precision::double_, 10}, {.reserved_cores = 9}),
        InfeasibleError);
  }
}
