#include "simulator/runtime/node/shared_gpus.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("Kernels that need all of a GPU have equal parts of it") {
    for (int n = 1; n <= 16; ++n) {
      std::vector<double> parts(static_cast<std::size_t>(n), 1);
      GpuLevel const level(parts);
      CHECK(level.slowdown(1) == n);
      CHECK(level.used() == 1);
    }
  }
  TEST_CASE("A kernel has what it uses alone and leaves the rest") {
    std::vector<double> parts{1, 0.25};
    GpuLevel const level(parts);
    CHECK(level.slowdown(0.25) == 1);
    CHECK(level.slowdown(1) == 1 / 0.75);
    CHECK(level.used() == 1);
    std::vector<double> halves{0.5, 0.5}, few{0.125, 0.25};
    CHECK(GpuLevel(halves).slowdown(0.5) == 1);
    CHECK(GpuLevel(halves).used() == 1);
    CHECK(GpuLevel(few).slowdown(0.25) == 1);
    CHECK(GpuLevel(few).used() == 0.375);
  }
}

TEST_SUITE("property") {
  TEST_CASE("Parts of a GPU are those of water that is poured in small amounts") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int trial = 0; trial < 100; ++trial) {
      CAPTURE(trial);
      std::vector<double> parts(1 + random() % 16);
      for (double& part : parts)
        part = random() % 4 == 0 ? 1 : random() % 3 == 0 ? 0.05 : std::max(0.01, uniform(random));
      // Each drop goes to the kernel that has least of those that use more.
      constexpr double drop = 1e-4;
      std::vector<double> has(parts.size(), 0);
      for (int drops = 0; drops < 10'000; ++drops) {
        std::size_t least = parts.size();
        for (std::size_t i = 0; i < parts.size(); ++i)
          if (has[i] < parts[i] && (least == parts.size() || has[i] < has[least])) least = i;
        if (least < parts.size()) has[least] = std::min(parts[least], has[least] + drop);
      }
      std::vector<double> sorted = parts;
      GpuLevel const level(sorted);
      for (std::size_t i = 0; i < parts.size(); ++i)
        CHECK(parts[i] / level.slowdown(parts[i]) == doctest::Approx(has[i]).scale(1).epsilon(1e-3));
      CHECK(level.used() == doctest::Approx(std::min(1.0, std::accumulate(parts.begin(), parts.end(), 0.0))));
    }
  }
}
