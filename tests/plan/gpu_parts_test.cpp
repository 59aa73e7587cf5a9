#include "simulator/tasks/plan/machine.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

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

}  // namespace

TEST_SUITE("unit") {
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
}
