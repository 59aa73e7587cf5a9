
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

KernelTiming timing(std::string kernel, int nb, double seconds, Precision precision = Precision::double_) {
  return {
      .kernel = std::move(kernel), .precision = precision, .worker = "cuda0", .nb = nb, .mean = {seconds}};
}

/// A GPU of 2e9 flop/s in double precision and 16e9 in single, by gemm on tiles of 1000; two workers.
Machine built(GpuSharing sharing) {
  Platform platform;
  platform.types.push_back({.name = "n", .cores = 2, .gpus = {GpuSpec{}}});
  platform.nodes = {0};
  KernelModel model;
  model.timings = {timing("gemm", 1000, 1),
                   timing("gemm", 100, 0.002),
                   timing("trsm", 100, 0.01),
                   timing("gemm", 1000, 0.125, Precision::single_),
                   timing("trsm", 100, 0.001, Precision::single_),
                   timing("convert", 100, 1e-6)};
  std::vector<Kernel> const kernels{
      {.name = "gemm", .flops = {2e6}},
      {.name = "trsm", .flops = {1e6}},
      {.name = "strsm", .flops = {1e6}, .timing = "trsm", .precision = Precision::single_},
      {.name = "convert", .flops = {1.2e5}, .memory_bound = true},
      {.name = "nothing", .flops = {0}, .is_free = true}};
  std::vector<KernelModel> const models{model};
  return build_machine(platform, models, kernels,
                       {.application = "lu", .precision = Precision::double_, .nb = 100},
                       {.workers_per_gpu = 2, .gpu_sharing = sharing});
}

PowerSpec power() {
  return {.core = 6,
          .gpu = 300,
          .idle = 400,
          .kernels = {{"potrf", {.core = 4, .gpu = 130}}, {"trsm", {.core = {}, .gpu = 250}}},
          .gpu_idle = 50,
          .gpu_speeds = {{150, 0.6}, {250, 0.9}, {350, 1}}};
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

  TEST_CASE("A kernel uses the part of a GPU that its rate is of the best one in its precision") {
    Machine const machine = built(GpuSharing::occupancy);
    Machine::Type const& type = machine.types.front();
    for (std::size_t w = 0; w < 2; ++w) {
      CHECK(type.gpu_part(0, w) == 0.5);     // 1e9 of 2e9 flop/s
      CHECK(type.gpu_part(1, w) == 0.05);    // 1e8 of them
      CHECK(type.gpu_part(2, w) == 0.0625);  // 1e9 of 16e9
      CHECK(type.gpu_part(3, w) == 1);       // bound by memory
      CHECK(type.gpu_part(4, w) == 1);       // without operations
      CHECK(type.device_time(1, w) == doctest::Approx(0.0005));
    }
    CHECK(type.gpu_part(0, 2) == 1);  // a core
  }
  TEST_CASE("Kernels use all of a GPU that is shared equally") {
    Machine const machine = built(GpuSharing::equal);
    CHECK(machine.types.front().gpu_parts.empty());
    CHECK(machine.types.front().gpu_part(1, 0) == 1);
  }

  TEST_CASE("a GPU under a cap draws the cap and is as slow as its curve says") {
    for (double const cap : {350.0, 400.0}) {
      CHECK(under_cap(power(), "gemm", cap).slowdown == 1);
      CHECK(under_cap(power(), "gemm", cap).busy_power == 300);
    }
    CHECK(under_cap(power(), "gemm", 250).slowdown == doctest::Approx(1 / 0.9));
    CHECK(under_cap(power(), "gemm", 250).busy_power == 200);
    CHECK(under_cap(power(), "gemm", 200).slowdown == doctest::Approx(1 / 0.75));
    CHECK(under_cap(power(), "gemm", 150).slowdown == doctest::Approx(1 / 0.6));
  }

  TEST_CASE("a kernel that draws less is slowed down later") {
    CHECK(under_cap(power(), "potrf", 180).slowdown == 1);
    CHECK(under_cap(power(), "potrf", 180).busy_power == 130);
    // 150 of 180 W, as 291.7 of 350 W.
    CHECK(under_cap(power(), "potrf", 150).slowdown ==
          doctest::Approx(1 / (0.9 + 0.1 * (350.0 * 150 / 180 - 250) / 100)));
    CHECK(under_cap(power(), "potrf", 150).busy_power == 100);
  }

  TEST_CASE("caps of single GPUs change their durations and powers and leave the cores alone") {
    NodeType node;
    node.gpus.resize(2);
    node.power = power();
    node.gpu_caps = {250, 1000};
    Machine::Type type;
    type.gpus = 2;
    type.workers = {{.gpu = true}, {.gpu = true}, {}};
    type.durations = {9, 9, 9, 9, 9, 9};
    type.deviations = {0.9, 0.9, 0.9, 0, 0, 0};
    type.samples = {{9}, {9}, {9}, {}, {}, {}};
    std::vector<std::string> const kernels{"gemm", "potrf"};
    set_powers(type, node, kernels);
    slow_down_capped(type, node, kernels);
    CHECK(type.durations[0] == doctest::Approx(10));
    CHECK(type.deviations[0] == doctest::Approx(1));
    CHECK(type.samples[0][0] == doctest::Approx(10));
    for (std::size_t i = 1; i < 6; ++i) CHECK(type.durations[i] == 9);
    CHECK(type.busy_powers == std::vector<double>{200, 300, 6, 130, 130, 4});
    CHECK(type.busy_power(1, 2) == 4);
    CHECK(power_name(node.power, {.name = "gemm", .timing = "gemm (2)"}) == "gemm");
    CHECK(power_name(node.power, {.name = "last", .timing = "potrf"}) == "potrf");
  }
}
