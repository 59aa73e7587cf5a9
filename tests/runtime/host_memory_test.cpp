#include "simulator/runtime/node/host_memory.hpp"

#include "tests/prelude.hpp"
#include "tests/runtime/mebibyte.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr Bytes piece{960 * 960 * 4};  // nine to a chunk
constexpr Seconds chunk_time{32};      // at a second per MiB
constexpr Seconds start{0};

RuntimeOptions one_second_per_MiB() {
  RuntimeOptions options;
  options.pinning_cost = Seconds{1};
  return options;
}

/// The RAM of one of two nodes with a GPU, where pinning takes one second per MiB.
HostMemory receive_buffers() { return {one_second_per_MiB(), platform_of(2, 1, 1).types[0], 2}; }

/// The same where all tiles are pinned, whether they are received or not.
HostMemory all_tiles(RuntimeOptions options) {
  options.host_alloc_cost = Seconds{1};
  return {options, platform_of(2, 1, 1).types[0], 2};
}

constexpr double chunk_MiB = 32;    // of which tiles are cut
constexpr double message_s = 1e-2;  // a tile on the network; the latency of 1 us counts twice with its answer

/// Node 0 writes tiles one after the other on its only core, and node 1 reads them.
Flow stream_of(int tiles) {
  Flow f(2 * tiles);
  for (int i = 0; i < tiles; ++i) {
    f.task({{i, rw}});
    f.task({{i, r}, {tiles + i, rw}});
  }
  return f;
}
std::vector<int> owners_of(int tiles) {
  std::vector<int> owner(static_cast<std::size_t>(2 * tiles), 1);
  std::fill_n(owner.begin(), tiles, 0);
  return owner;
}

RuntimeOptions with_pinning(double seconds_per_MiB, bool late) {
  RuntimeOptions o = no_overheads();
  o.pinning_cost = Seconds{seconds_per_MiB};
  o.late_receive_buffers = late;
  return o;
}

double makespan(int tiles, RuntimeOptions const& options) {
  Flow f = stream_of(tiles);
  return simulate(f.graph_copy(), on_nodes(owners_of(tiles)), platform_of(2, 1, 1), options)
      .outcome.makespan.value;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("requests are taken by priority and in order of arrival among equals") {
    HostMemory memory = receive_buffers();
    memory.request({.priority = 1, .id = 10, .size = piece});
    memory.request({.priority = 5, .id = 11, .size = piece});
    memory.request({.priority = 1, .id = 12, .size = piece});
    auto const first = memory.take_requests(2);
    REQUIRE(first.size() == 2);
    CHECK(first[0].value.id == 11);
    CHECK(first[1].value.id == 10);
    memory.put_back(first[1]);
    auto const rest = memory.take_requests(5);
    REQUIRE(rest.size() == 2);
    CHECK(rest[0].value.id == 10);
    CHECK(rest[1].value.id == 12);
  }

  TEST_CASE("while a chunk is pinned others wait for their piece of it in turn") {
    HostMemory memory = receive_buffers();
    CHECK(memory.take(piece, start) == chunk_time);
    // Eight pieces are left, the ninth caller pins another chunk, the tenth waits for that.
    for (int i = 1; i <= 10; ++i)
      CHECK(memory.take(piece, Seconds{2}) == (i < 9 ? Seconds{30} : Seconds{62}));
    CHECK(memory.take(piece, chunk_time * 2) == Seconds{0});
  }

  TEST_CASE("a caller with a piece of another size waits for the chunk that is pinned") {
    HostMemory memory = receive_buffers();
    CHECK(memory.take(mebi, start) == chunk_time);
    CHECK(memory.take(piece, chunk_time) == chunk_time);
    CHECK(memory.take(mebi, chunk_time + Seconds{1}) == Seconds{31});
  }

  TEST_CASE("tiles of more than 4 MiB are pinned one by one and side by side") {
    HostMemory memory = receive_buffers();
    CHECK(memory.take(mebi * 7, start) == Seconds{7});
    CHECK(memory.take(mebi * 7, start) == Seconds{7});
  }

  TEST_CASE("a receive buffer that is given back serves tiles of the same size at no cost") {
    HostMemory memory = receive_buffers();
    CHECK(memory.take(mebi * 7, start) == Seconds{7});
    memory.give_back(mebi * 7, start);
    CHECK(memory.take(mebi * 8, start) == Seconds{8});
    CHECK(memory.take(mebi * 7, start) == Seconds{0});
    CHECK(memory.take(mebi * 7, start) == Seconds{7});
  }

  TEST_CASE("where all tiles are pinned they are pinned in turn and kept for tiles of any size") {
    HostMemory memory = all_tiles({});
    CHECK(memory.on_demand());
    CHECK(memory.take(mebi * 2, start) == Seconds{2});
    CHECK(memory.take(mebi * 3, start) == Seconds{5});
    memory.give_back(mebi * 3, start);
    CHECK(memory.take(mebi * 2, start) == Seconds{0});
    CHECK(memory.take(mebi * 2, start) == Seconds{7});
    HostMemory without_cache = all_tiles({.chunk_cache = false});
    without_cache.give_back(mebi, start);
    CHECK(without_cache.take(mebi, start) == Seconds{1});
  }

  TEST_CASE("a message waits until the buffer that its receiver requested at submission is there") {
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

  TEST_CASE("nodes without GPUs do not pin receive buffers") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions o = no_overheads();
    o.pinning_cost = Seconds{100};
    CHECK(simulate(f.graph(), on_nodes({0, 1}), platform_of(2, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(2 * core_time + 2e-6 + 1e-2).epsilon(1e-9));
  }

  TEST_CASE("an early message keeps the communication thread until there is memory for it") {
    // Node 1 receives A once more for each reader; the second copy comes while the first is read. Messages of
    // node 2 to node 1 meanwhile wait for the thread, which waits for a chunk: nine tiles came before.
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

  TEST_CASE("a late receive buffer is allocated when its message is announced and not before") {
    double const cost = 1.0 / chunk_MiB;  // a second for the chunk
    double const free = makespan(1, with_pinning(0, false));
    double const posted = makespan(1, with_pinning(cost, false));
    double const late = makespan(1, with_pinning(cost, true));
    double const sent = free - gpu_time - message_s;  // about: the date of the announcement
    CHECK(posted < free + 1 - 0.9 * sent);            // pinned while the tile is computed
    CHECK(late == doctest::Approx(free + 1).epsilon(1e-4));
  }

  TEST_CASE("late receive buffers allocate one chunk for the messages that fit in it") {
    double const cost = 1.0 / chunk_MiB;
    double const free = makespan(3, with_pinning(0, false));
    CHECK(makespan(3, with_pinning(cost, true)) <= free + 1 + 3 * message_s);  // then one after the other
  }

  TEST_CASE("without page-locked memory late receive buffers change nothing") {
    Flow f = stream_of(4);
    for (bool const late : {false, true}) {
      RuntimeOptions const o = with_pinning(100, late);
      CHECK(
          simulate(f.graph_copy(), on_nodes(owners_of(4)), platform_of(2, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(4 * core_time + core_time + 2e-6 + message_s).epsilon(1e-9));
    }
  }

  TEST_CASE("a parallel send does not wait for the communication thread of its node") {
    // The thread of node 0 allocates memory for a tile of node 1 when node 0 has computed a tile for node 1.
    double const allocation_s = 1000;
    Flow f(4);
    f.task({{1, rw}});
    for (int i = 0; i < 3; ++i) f.task({{0, rw}});
    f.task({{1, r}, {2, rw}});
    f.task({{0, r}, {3, rw}});
    RuntimeOptions o = with_pinning(allocation_s / chunk_MiB, true);
    auto const makespan = [&] {
      return simulate(f.graph_copy(), on_nodes({0, 1, 0, 1}), platform_of(2, 1, 1), o).outcome.makespan.value;
    };
    CHECK(makespan() > 2 * allocation_s);  // on node 0, then on node 1
    o.parallel_sends = true;
    CHECK(makespan() > allocation_s);
    CHECK(makespan() < 1.1 * allocation_s);
  }
}
