// Receive buffers that are allocated when a message is announced, and sends that do not wait for the
// communication thread.

#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

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
