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
