#include "simulator/runtime/node/kernel_times.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

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
