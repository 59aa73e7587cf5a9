#include "simulator/runtime/receive_buffers.hpp"

#include <doctest/doctest.h>

#include "tests/runtime/mebibyte.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr Bytes piece{960 * 960 * 4};  // nine to a chunk
constexpr Seconds chunk_time{32};      // at a second a MiB

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("wishes are taken by priority and first come first served among equals") {
    ReceiveBuffers buffers(Seconds{1});
    buffers.want({.priority = 1, .id = 10, .size = piece});
    buffers.want({.priority = 5, .id = 11, .size = piece});
    buffers.want({.priority = 1, .id = 12, .size = piece});
    auto const first = buffers.take(2);
    REQUIRE(first.size() == 2);
    CHECK(first[0].id == 11);
    CHECK(first[1].id == 10);
    buffers.put_back(first[1]);
    auto const rest = buffers.take(5);
    REQUIRE(rest.size() == 2);
    CHECK(rest[0].id == 10);
    CHECK(rest[1].id == 12);
  }

  TEST_CASE("while a worker allocates a chunk others wait for their piece of it in turn") {
    ReceiveBuffers buffers(Seconds{1});
    CHECK(buffers.allocate(0, piece) == chunk_time);
    for (std::uint32_t w = 1; w <= 10; ++w) CHECK(!buffers.allocate(w, piece).has_value());
    CHECK(buffers.finish(7).empty());  // does not allocate
    auto const resumed = buffers.finish(0);
    REQUIRE(resumed.size() ==
            9);  // eight pieces are left, the ninth allocates anew, the tenth waits for that
    for (std::uint32_t i = 0; i < 9; ++i) {
      CHECK(resumed[i].worker == i + 1);
      CHECK(resumed[i].after == (i < 8 ? Seconds{0} : chunk_time));
    }
    auto const last = buffers.finish(9);
    REQUIRE(last.size() == 1);
    CHECK(last[0].worker == 10);
    CHECK(last[0].after == Seconds{0});
  }

  TEST_CASE("tiles of more than 4 MiB are allocated one by one and side by side") {
    ReceiveBuffers buffers(Seconds{1});
    CHECK(buffers.allocate(0, mebi * 7) == Seconds{7});
    CHECK(buffers.allocate(1, mebi * 7) == Seconds{7});
  }

  TEST_CASE("what is given back serves tiles of the same size at no cost") {
    ReceiveBuffers buffers(Seconds{1});
    CHECK(buffers.allocate(0, mebi * 7) == Seconds{7});
    buffers.give_back(mebi * 7);
    CHECK(buffers.allocate(0, mebi * 8) == Seconds{8});
    CHECK(buffers.allocate(0, mebi * 7) == Seconds{0});
    CHECK(buffers.allocate(0, mebi * 7) == Seconds{7});
  }

  TEST_CASE("a message waits until the memory that its receiver wanted at submission is there") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    Platform const platform = platform_of(2, 1, 1);
    auto const makespan = [&](double cost_per_MiB) {
      RuntimeOptions o = no_overheads();
      o.pinning_cost = Seconds{cost_per_MiB};
      return simulate(f.graph_copy(), on_nodes({0, 1}), platform, o).outcome.makespan.value;
    };
    double const free = makespan(0);
    double const after_sending = free - gpu_time;  // until then the memory is not needed
    CHECK(makespan(0.1 * after_sending / 32) == doctest::Approx(free).epsilon(1e-9));
    CHECK(makespan(100.0 / 32) > 100 + gpu_time);
    CHECK(makespan(100.0 / 32) < 100 + free);
  }

  TEST_CASE("nodes without GPUs do not lock the pages of what they receive") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions o = no_overheads();
    o.pinning_cost = Seconds{100};
    CHECK(simulate(f.graph(), on_nodes({0, 1}), platform_of(2, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(2 * core_time + 2e-6 + 1e-2).epsilon(1e-9));
  }

  TEST_CASE("an early message keeps the communication thread until there is memory for it") {
    // Node 1 gets A anew for each reader; the second copy comes while the first is read. What node 2 sends
    // node 1 meanwhile waits for the thread, which waits for a chunk: nine tiles were received before.
    int const others = 9;
    Flow f(3 + 2 * others);
    f.task({{0, rw}});
    for (int i = 0; i < 2; ++i) {
      std::vector<DataAccess> const accesses{{HandleId{0}, r}, {HandleId{1}, rw}};
      f.flow.flush_inputs(f.flow.submit(f.kernel, 0, {}, accesses));
    }
    std::vector<int> owner(static_cast<std::size_t>(3 + 2 * others), 1);
    owner[0] = 0;
    for (int i = 0; i < others; ++i) {
      int const from = 3 + i, to = 3 + others + i;
      owner[static_cast<std::size_t>(from)] = 2;
      f.task({{from, rw}});
      f.task({{from, r}, {to, rw}});
    }
    RuntimeOptions o = no_overheads();
    auto const run = [&] {
      return simulate(f.graph_copy(), on_nodes(owner), platform_of(3, 1, 1), o).outcome;
    };
    auto const free = run();
    o.pinning_cost = Seconds{1.0};
    auto const locked = run();
    CHECK(locked.tiles_sent == free.tiles_sent);
    CHECK(locked.bytes_sent == free.bytes_sent);
    CHECK(locked.makespan.value > 32 + free.makespan.value - core_time);
  }
}
