#include "simulator/runtime/node/shared_gpus.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

struct Kernel {
  std::size_t worker;
  double start, work, part = 1;
};

struct Execution {
  std::vector<double> ends, drawn;  // [kernels]
};

/// Runs the kernels, by their starts, on workers of which `per_gpu` share a GPU.
Execution executed(std::vector<Kernel> const& kernels, std::size_t workers, std::size_t per_gpu) {
  SharedGpus gpus(workers, per_gpu, TimeGrid{});
  std::multimap<double, std::size_t> events;  // date, worker
  std::map<std::size_t, std::size_t> running;
  auto const post = [&](LocalWorker worker, Seconds date) { events.emplace(date.value, worker.index()); };
  Execution out{std::vector<double>(kernels.size()), std::vector<double>(kernels.size())};
  std::size_t next = 0;
  while (next < kernels.size() || !events.empty()) {
    if (next < kernels.size() && (events.empty() || kernels[next].start < events.begin()->first)) {
      Kernel const& k = kernels[next];
      running[k.worker] = next++;
      gpus.start(LocalWorker{k.worker}, Seconds{k.work}, k.part, Seconds{k.start}, post);
      continue;
    }
    auto const [date, worker] = *events.begin();
    events.erase(events.begin());
    if (!gpus.ends(LocalWorker{worker}, Seconds{date})) continue;
    gpus.end(LocalWorker{worker}, Seconds{date}, post);
    out.ends[running.at(worker)] = date;
    out.drawn[running.at(worker)] = gpus.drawn(LocalWorker{worker}).value;
  }
  return out;
}

std::vector<double> ends_of(std::vector<Kernel> const& kernels, std::size_t workers, std::size_t per_gpu) {
  return executed(kernels, workers, per_gpu).ends;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("Kernels in flight on a GPU have equal parts of its speed") {
    // Each case by hand: the parts change whenever a kernel starts or ends.
    CHECK(ends_of({{0, 0, 4}}, 2, 2) == std::vector<double>{4});
    CHECK(ends_of({{0, 0, 4}, {1, 0, 4}}, 2, 2) == std::vector<double>{8, 8});
    CHECK(ends_of({{0, 0, 4}, {1, 1, 2}}, 2, 2) == std::vector<double>{6, 5});
    CHECK(ends_of({{0, 0, 3}, {1, 1, 3}, {2, 2, 3}}, 3, 3) == std::vector<double>{6.5, 8.5, 9});
    CHECK(ends_of({{0, 0, 1}, {1, 0.5, 1}, {0, 2, 1}}, 2, 2) == std::vector<double>{1.5, 2, 3});
  }
  TEST_CASE("Kernels that use little of a GPU run at full speed and leave the rest to others") {
    // A quarter of the GPU until 4 s; the other kernel runs at 3/4 of its speed, then alone.
    CHECK(ends_of({{0, 0, 4, 0.25}, {1, 0, 4.5}}, 2, 2) == std::vector<double>{4, 5.5});
    CHECK(ends_of({{0, 0, 4, 0.5}, {1, 0, 4, 0.5}}, 2, 2) == std::vector<double>{4, 4});
    CHECK(ends_of({{0, 0, 2, 0.5}, {1, 0, 2, 0.5}, {2, 0, 2, 0.5}}, 3, 3) == std::vector<double>{3, 3, 3});
    // The third has its quarter until 1 s, the others 3/8 each.
    CHECK(ends_of({{0, 0, 2, 0.5}, {1, 0, 2, 0.5}, {2, 0, 1, 0.25}}, 3, 3) ==
          std::vector<double>{2.25, 2.25, 1});
  }
  TEST_CASE("A GPU draws the power of one kernel, of which each in flight has a share by its part") {
    // A full GPU: of the power, each draws what it has of the GPU.
    CHECK(executed({{0, 0, 4, 0.25}, {1, 0, 4.5}}, 2, 2).drawn == std::vector<double>{1, 4.5});
    // A quarter each: half of the power until 2 s, then the first alone.
    CHECK(executed({{0, 0, 4, 0.25}, {1, 0, 2, 0.25}}, 2, 2).drawn == std::vector<double>{3, 1});
    CHECK(executed({{0, 0, 4, 0.25}}, 2, 2).drawn == std::vector<double>{4});
  }
  TEST_CASE("Kernels on different GPUs do not slow each other down") {
    CHECK(ends_of({{0, 0, 4}, {2, 1, 4}, {1, 2, 1}}, 4, 2) == std::vector<double>{5, 5, 4});
  }
  TEST_CASE("A kernel without work ends where it starts") {
    CHECK(ends_of({{0, 0, 2}, {1, 1, 0}}, 2, 2) == std::vector<double>{2, 1});
  }

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
