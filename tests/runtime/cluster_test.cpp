// Workers, drivers and memories, date by date.

#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

TEST_SUITE("unit") {
  TEST_CASE("one task alone lasts its kernel") {
    Flow f(1);
    f.task({{0, rw}});
    CHECK(simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 0), no_overheads()).outcome.makespan.value ==
          doctest::Approx(core_time).epsilon(1e-9));
  }

  TEST_CASE("submission push and fetch costs add up before the kernel") {
    Flow f(1);
    f.task({{0, rw}});
    f.task({{0, rw}});
    RuntimeOptions o = no_overheads();
    o.submission_cost = Seconds{0.25};
    o.push_cost = Seconds{0.5};
    o.fetch_cost = Seconds{0.125};
    // Submitted at 0.25, one operand each; the first task pays for the push of the second.
    CHECK(simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(0.25 + 2 * (0.125 + core_time) + 0.5).epsilon(1e-9));
  }

  TEST_CASE("a worker makes transfers progress between two tasks") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{0.5};
    for (char const* policy : {"eager", "dmda", "ws"})
      CHECK(simulate(f.graph_copy(), on_nodes({0, 0}), platform_of(1, 1, 0), o, policy)
                .outcome.makespan.value == doctest::Approx(2 * (0.5 + core_time)).epsilon(1e-9));
  }

  TEST_CASE("of two idle workers a pushed task wakes the GPU and a second one the core") {
    // A GPU makes progress for two memories before it pops a task, a core for one.
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{1e-3};
    Simulated const s = simulate(f.graph(), on_nodes({0, 0}), platform_of(1, 1, 1), o, "eager");
    REQUIRE(s.trace.tasks.size() == 2);
    CHECK(s.trace.tasks[0].task == TaskId{1});  // the GPU ends first
    CHECK(s.trace.tasks[0].worker.value() == 0);
    CHECK(s.trace.tasks[1].worker.value() == 1);
    CHECK(s.trace.tasks[1].start.value == doctest::Approx(1e-3).epsilon(1e-9));
  }

  TEST_CASE("a node unrolls the whole flow or the tasks that concern it or its own tasks") {
    // Handles 0, 1 on node 0 and 2 on node 1: two tasks of node 0, the second with what node 1 owns; then
    // one of node 1 without predecessors.
    Flow f(4);
    f.task({{0, rw}});
    f.task({{1, rw}, {2, r}});
    f.task({{3, rw}});
    auto const start = [&](Unrolling unrolling, int maximum) {
      RuntimeOptions o = no_overheads();
      o.submission_cost = Seconds{0.25};
      o.unrolling = unrolling;
      o.max_submitted_tasks = maximum;
      Simulated const s = simulate(f.graph_copy(), on_nodes({0, 0, 1, 1}), platform_of(2, 1, 0), o, "eager");
      for (TaskRecord const& r : s.trace.tasks)
        if (r.worker == WorkerId{1}) return r.start.value;
      return -1.0;
    };
    for (int const maximum : {0, 10}) {  // all at once, or by a window
      CHECK(start(Unrolling::whole, maximum) == doctest::Approx(3 * 0.25).epsilon(1e-9));
      CHECK(start(Unrolling::pruned, maximum) == doctest::Approx(2 * 0.25).epsilon(1e-9));
      CHECK(start(Unrolling::own, maximum) == doctest::Approx(0.25).epsilon(1e-9));
    }
  }

  TEST_CASE("submission stops at the maximum of submitted tasks and resumes at the minimum") {
    // Independent tasks on two cores; at most two may be open, and submission resumes when none is.
    Flow f(6);
    for (int h = 0; h < 6; ++h) f.task({{h, rw}});
    RuntimeOptions o = no_overheads();
    o.submission_cost = Seconds{0.25};
    auto makespan = [&](int maximum, int minimum) {
      o.max_submitted_tasks = maximum;
      o.min_submitted_tasks = minimum;
      return simulate(f.graph_copy(), on_nodes(std::vector<int>(6, 0)), platform_of(1, 2, 0), o, "eager")
          .outcome.makespan.value;
    };
    CHECK(makespan(0, 0) == doctest::Approx(0.25 + 3 * core_time + 0.25).epsilon(1e-9));
    // Submission stops while more than one is open; both of a pair must end before the next pair.
    CHECK(makespan(1, 0) == doctest::Approx(3 * (0.5 + core_time)).epsilon(1e-9));
    // One more whenever one ends: each core waits 0.25 s for its next task.
    CHECK(makespan(1, 1) == doctest::Approx(0.5 + 3 * core_time + 2 * 0.25).epsilon(1e-9));
  }

  TEST_CASE("a task on a GPU waits for its tile to cross the bus") {
    Flow f(1);
    f.task({{0, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 1), no_overheads());
    CHECK(s.outcome.makespan.value == doctest::Approx(1e-5 + 1e-3 + gpu_time).epsilon(1e-9));
    CHECK(s.outcome.host_to_device == tile);
    CHECK(s.outcome.device_to_host.value == 0);
  }

  TEST_CASE("a GPU runs queued kernels back to back while the next inputs arrive") {
    Flow f(3);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    Simulated const s =
        simulate(f.graph(), on_nodes({0, 0, 0}), platform_of(1, 0, 1), no_overheads(), "eager");
    CHECK(s.outcome.makespan.value == doctest::Approx(1e-5 + 1e-3 + 3 * gpu_time).epsilon(1e-9));
  }

  TEST_CASE("without a pipeline each task first waits for its inputs") {
    Flow f(3);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    RuntimeOptions o = no_overheads();
    o.gpu_pipeline = 0;
    Simulated const s = simulate(f.graph(), on_nodes({0, 0, 0}), platform_of(1, 0, 1), o, "eager");
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * (1e-5 + 1e-3 + gpu_time)).epsilon(1e-9));
  }

  /// Column by column, the products of n tiles of a row with n of a column: 2 n tiles on a GPU with 33 or 200 MiB.
  Simulated product_on_gpu(int n, std::string const& policy, bool full, RuntimeOptions o) {
    Flow f(2 * n);
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row) f.task({{row, r}, {n + column, r}});
    o.gpu_memory_fraction = 1;
    return simulate(f.graph(), std::vector<NodeId>(static_cast<std::size_t>(2 * n), NodeId{0}),
                    platform_of(1, 0, 1, Bytes{(full ? 33 : 200) << 20}), o, policy, false);
  }

  TEST_CASE("copies to a full memory overlap no kernel where copies wait for kernels") {
    RuntimeOptions o = no_overheads(), waits = o;
    waits.copies_wait_for_kernels = true;
    int const n = 40;
    double const seconds = product_on_gpu(n, "eager", false, waits).outcome.makespan.value;
    CHECK(seconds == product_on_gpu(n, "eager", false, o).outcome.makespan.value);
    Simulated const full = product_on_gpu(n, "eager", true, waits);
    double const copies = static_cast<double>(full.outcome.host_to_device.value / tile.value) - 33;
    double const waited =
        full.outcome.makespan.value - product_on_gpu(n, "eager", true, o).outcome.makespan.value;
    CHECK(waited == doctest::Approx(copies * (1e-5 + 1e-3)).epsilon(0.01));
    waits.gpu_pipeline = 0;  // the driver waits for each kernel
    CHECK(product_on_gpu(n, "dmda", true, waits).outcome.makespan.value > n * n * gpu_time);
  }

  TEST_CASE("dmdar keeps tiles in a full memory where tasks share the requests for them") {
    int const n = 40;
    auto const loads = [&](bool shared, bool full) {
      RuntimeOptions o = no_overheads();
      o.shared_requests = shared;
      return product_on_gpu(n, "dmdar", full, o).outcome.host_to_device.value / tile.value;
    };
    CHECK(loads(true, false) == 2 * n);
    CHECK(loads(false, false) == 2 * n);
    std::int64_t const little = loads(true, true);
    CAPTURE(little);
    CHECK(little < 4 * n);  // each tile of one matrix once, of the other twice, and some more
    CHECK(loads(false, true) > 4 * little);
  }

  TEST_CASE("tiles are copied to the RAM of a core before it reads them") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    double const copy = 1e-5 + 1e-3;
    for (char const* policy : {"dmda", "eager"}) {
      Simulated const s =
          simulate(f.graph_copy(), on_nodes({0, 0}), numa_platform(2, 0), no_overheads(), policy);
      CHECK(s.outcome.makespan.value == doctest::Approx(core_time + copy).epsilon(1e-9));
      CHECK(s.outcome.host_to_host == tile);
      CHECK(s.outcome.host_to_device.value == 0);
    }
    // If a copy takes longer than one more task on the core next to the tiles, dmda does not use the other
    // core.
    Platform slow = numa_platform(2, 0);
    for (LinkSpec& link : slow.types[0].bus.links) link.rate.bandwidth = BytesPerSecond{1e5};
    for (LinkRate& copy : slow.types[0].bus.predicted) copy.bandwidth = BytesPerSecond{1e5};
    Simulated const s = simulate(f.graph_copy(), on_nodes({0, 0}), slow, no_overheads());
    CHECK(s.outcome.makespan.value == doctest::Approx(2 * core_time).epsilon(1e-9));
    CHECK(s.outcome.host_to_host.value == 0);
  }

  TEST_CASE("a GPU's driver makes the transfers of every RAM progress") {
    Flow f(1);
    f.task({{0, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{1e-3};
    o.gpu_pipeline = 0;
    auto const start = [&](int rams) {
      return simulate(f.graph_copy(), on_nodes({0}), numa_platform(rams, 1), o, "dmda").trace.tasks[0].start;
    };
    double const rounds = 2;  // one to start the copy, which is a prefetch, one to notice its end
    CHECK(start(3).value - start(1).value == doctest::Approx(rounds * 2e-3).epsilon(1e-9));
  }
}
