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
}
