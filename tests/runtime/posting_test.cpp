// When messages are posted, and what page-locking at submission delays: dates by hand.

#include "tests/prelude.hpp"
#include "tests/runtime/mebibyte.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double hop_s = 1e-2 + 2e-6;

RuntimeOptions slow_submission(double seconds) {
  RuntimeOptions o = no_overheads();
  o.submission_cost = Seconds{seconds};
  return o;
}

/// Node 0 writes A; node 1 has `others` tasks of its own, then one that reads A.
Flow with_late_reader(int others) {
  Flow f(3);
  f.task({{0, rw}});
  for (int i = 0; i < others; ++i) f.task({{1, rw}});
  f.task({{0, r}, {2, rw}});
  return f;
}

Simulated simulated(Flow const& f, RuntimeOptions const& o) {
  return simulate(f.graph_copy(), on_nodes({0, 1, 1}), platform_of(2, 2, 0), o);
}

/// Pins a second for each MiB of tiles, at submission.
RuntimeOptions pins_at_submission(double seconds_per_MiB) {
  RuntimeOptions o = no_overheads();
  o.host_alloc_cost = Seconds{seconds_per_MiB};
  o.allocate_at_submission = true;
  o.chunk_cache = false;
  return o;
}

double const tile_MiB = static_cast<double>(tile.value) / static_cast<double>(mebi.value);

/// Node 0 writes as many tiles; node 1 reads each of them once.
Flow received(int tiles) {
  Flow f(2 * tiles);
  for (int i = 0; i < tiles; ++i) f.task({{i, rw}});
  for (int i = 0; i < tiles; ++i) f.task({{i, r}, {tiles + i, rw}});
  return f;
}
std::vector<NodeId> owners_of_received(int tiles) {
  std::vector<int> out(static_cast<std::size_t>(2 * tiles), 1);
  std::fill_n(out.begin(), tiles, 0);
  return on_nodes(out);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a message starts when its first reader is submitted even if its tile is there before") {
    Simulated const s = simulated(with_late_reader(3), slow_submission(10));
    REQUIRE(s.trace.transfers.size() == 1);
    CHECK(s.trace.transfers[0].start.value == doctest::Approx(50));  // the fifth task
    CHECK(s.outcome.makespan.value == doctest::Approx(50 + hop_s + core_time));
  }

  TEST_CASE("nodes that unroll their own tasks alone post what they send behind their last task before") {
    Flow f(3);
    for (int i = 0; i < 3; ++i) f.task({{0, rw}});
    f.task({{0, r}, {2, rw}});
    f.task({{1, rw}});
    RuntimeOptions o = slow_submission(10);
    o.unrolling = Unrolling::own;
    Simulated const s = simulated(f, o);
    REQUIRE(s.trace.transfers.size() == 1);
    CHECK(s.trace.transfers[0].start.value ==
          doctest::Approx(30 + core_time));  // its writer is submitted at 30
  }

  TEST_CASE("a full window of the receiver delays what it receives") {
    RuntimeOptions o = slow_submission(0.1);
    o.max_submitted_tasks = 1;
    Simulated const s = simulated(with_late_reader(3), o);
    REQUIRE(s.trace.transfers.size() == 1);
    // Node 1 stops at its second open task until both have run, and so on.
    std::vector<double> ends;
    for (auto const& t : s.trace.tasks) ends.push_back(t.end.value);
    std::ranges::sort(ends);
    CHECK(s.trace.transfers[0].start.value > 2 * core_time);
    CHECK(s.trace.transfers[0].start.value ==
          doctest::Approx(s.trace.submissions[s.trace.transfers[0].consumer.index()].value));
  }

  TEST_CASE("a full window of the sender delays what it sends") {
    Flow f(4);
    f.task({{0, rw}});
    for (int i = 0; i < 4; ++i) f.task({{3, rw}});  // node 0 stops at the second of them
    f.task({{0, r}, {2, rw}});
    RuntimeOptions o = slow_submission(0.1);
    o.max_submitted_tasks = 2;
    o.min_submitted_tasks = 1;
    Simulated const s = simulate(f.graph_copy(), on_nodes({0, 1, 1, 0}), platform_of(2, 1, 0), o);
    REQUIRE(s.trace.transfers.size() == 1);
    // The last of its tasks before the reader is submitted when three of five have run.
    CHECK(s.trace.transfers[0].start.value == doctest::Approx(4 * core_time + 0.4).epsilon(0.05));
    CHECK(s.trace.submissions[s.trace.transfers[0].consumer.index()].value == doctest::Approx(0.6));
  }

  TEST_CASE("a tile that is received once more waits for the last reader of its first copy") {
    Flow f(3);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    f.task({{0, r}, {1, rw}});
    f.flow.flush_cache();
    f.task({{0, r}, {2, rw}});
    Simulated const s = simulated(f, no_overheads());
    REQUIRE(s.trace.transfers.size() == 2);
    CHECK(s.trace.transfers[1].start.value == doctest::Approx(3 * core_time + hop_s));
  }

  TEST_CASE("a thread that pins RAM at submission submits later") {
    double const pinning = 100 * tile_MiB;
    Simulated const s = simulate(received(3).graph_copy(), owners_of_received(3), platform_of(2, 2, 1),
                                 pins_at_submission(100));
    std::vector<double> starts;
    for (auto const& t : s.trace.transfers)
      if (t.producer.valid()) starts.push_back(t.start.value);
    REQUIRE(starts.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(starts[i] == doctest::Approx(static_cast<double>(i + 1) * pinning));
    CHECK(s.outcome.makespan.value > 3 * pinning);
  }

  TEST_CASE("pinning that waits for kernels begins when those in flight have ended") {
    for (bool const waits : {false, true}) {
      Flow f(4);
      f.task({{3, rw}});  // on the GPU of node 1
      f.task({{0, rw}});
      f.task({{0, r}, {1, rw}});
      RuntimeOptions o = pins_at_submission(0.1);
      o.submission_cost = Seconds{0.1};
      o.pinning_waits_for_kernels = waits;
      Simulated const s =
          simulate(f.graph_copy(), on_nodes({0, 1, 1, 1}), platform_of(2, 1, 1), o, "dmda", true);
      double const reader = s.trace.submissions[2].value;
      double const alone = 0.3 + 0.1 * tile_MiB;
      CHECK(reader == doctest::Approx(waits ? alone + gpu_time - 0.2 + 1e-3 : alone).epsilon(0.05));
    }
  }
}
