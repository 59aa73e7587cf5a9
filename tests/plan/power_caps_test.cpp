#include "simulator/tasks/plan/power_caps.hpp"

#include "simulator/tasks/plan/machine.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

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
  }
}
