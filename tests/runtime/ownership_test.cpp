// Handles whose owner changes, barriers, and data that is sent anew.

#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr auto w = Access::write;
constexpr double message_time = 2e-6 + 1e-2;

/// Generation and update of two tiles; the second phase may place them elsewhere.
Flow two_phases(bool barrier = false, int iterations = 1) {
  Flow f(2);
  for (int i = 0; i < iterations; ++i) {
    if (i > 0) f.flow.barrier();
    f.flow.begin_phase({"generation", 0});
    f.task({{0, w}});
    f.task({{1, w}});
    if (barrier) f.flow.barrier();
    f.flow.begin_phase({"update", 1});
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
  }
  return f;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a tile that another node owns in the next phase moves there once") {
    TaskGraph graph = two_phases().graph();
    ExecutionPlan const plan = plan_execution(graph, {on_nodes({0, 1}), on_nodes({1, 1})}, 2);
    CHECK(nodes_of_tasks(graph, plan) == on_nodes({0, 1, 1, 1}));
    auto const counts = count_messages_by_phase(graph, plan);
    REQUIRE(counts.size() == 1);
    CHECK(counts[0].from == 0);
    CHECK(counts[0].to == 1);
    CHECK(counts[0].messages == 1);
    CHECK(counts[0].bytes == tile);
    // Generated on node 0, where its replica is not permanent; received and updated on node 1, where it is.
    CHECK(owned(plan) == std::vector<bool>{false, true, true});
    CHECK(initial(plan) == std::vector<bool>{false, false, false});
    CHECK(uses(plan) == std::vector<std::uint32_t>{2, 2, 2});  // the first: written, sent
  }

  TEST_CASE("a moved tile is freed on its previous node") {
    Simulated const s = simulate(two_phases().graph(), {on_nodes({0, 1}), on_nodes({1, 1})},
                                 platform_of(2, 2, 0), no_overheads());
    CHECK(s.outcome.tiles_sent == 1);
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * core_time + message_time).epsilon(1e-9));
    CHECK(s.outcome.nodes[0].peak_memory_bytes == tile.value);
    CHECK(s.outcome.nodes[1].peak_memory_bytes == 2 * tile.value);
  }

  TEST_CASE("each iteration moves its tiles again") {
    Simulated const s = simulate(two_phases(false, 3).graph(), {on_nodes({0, 1}), on_nodes({1, 1})},
                                 platform_of(2, 2, 0), no_overheads());
    CHECK(s.outcome.tiles_sent == 3);
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * (3 * core_time + message_time)).epsilon(1e-9));
  }

  TEST_CASE(
      "no task behind a barrier starts and no message is sent for it before all tasks before it have run") {
    // Node 1 generates two tiles one after the other; node 0 ends its own much earlier.
    Flow f(3);
    f.flow.begin_phase({"generation", 0});
    for (int h = 0; h < 3; ++h) f.task({{h, w}});
    f.flow.barrier();
    f.flow.begin_phase({"update", 1});
    f.task({{0, rw}});
    auto const graph = [&] { return f.graph_copy(); };
    OwnersByPlacement const owners{on_nodes({0, 1, 1}), on_nodes({1, 1, 1})};
    Simulated const s = simulate(graph(), owners, platform_of(2, 1, 0), no_overheads());
    REQUIRE(s.trace.transfers.size() == 1);
    CHECK(s.trace.transfers[0].start.value == doctest::Approx(2 * core_time));
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * core_time + message_time).epsilon(1e-9));
    RuntimeOptions windows = no_overheads();
    windows.max_submitted_tasks = 1;
    CHECK(simulate(graph(), owners, platform_of(2, 1, 0), windows).outcome.makespan == s.outcome.makespan);
  }

  TEST_CASE("submission costs count from the barrier") {
    Flow f(1);
    for (int i = 0; i < 3; ++i) {
      f.task({{0, rw}});
      f.flow.barrier();
    }
    RuntimeOptions o = no_overheads();
    o.submission_cost = Seconds{1};
    CHECK(simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(3 * (1 + core_time)));
  }

  TEST_CASE("tiles received before a cache flush are sent again") {
    Flow f(3);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    f.flow.flush_cache();
    f.task({{0, r}, {1, rw}});
    f.task({{0, r}, {2, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0, 1, 0}), platform_of(2, 2, 0), no_overheads());
    CHECK(s.outcome.tiles_sent == 2);
    CHECK(s.outcome.nodes[1].peak_memory_bytes == 2 * tile.value);  // its own and one copy, in the same place
  }

  TEST_CASE("a task does not wait for readers on other nodes but for the value that it updates") {
    // 0 writes; 1 reads on node 1 for long; 2 updates on node 0: no wait for 1, but for 0.
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    f.task({{0, rw}});
    TaskGraph graph = f.graph_copy();
    ExecutionPlan const plan = plan_execution(graph, on_nodes({0, 1}), 2);
    CHECK(graph.submission == std::vector<std::uint32_t>{0, 2, 1});
    CHECK(graph.predecessors == std::vector<std::uint32_t>{0, 1, 1});
    CHECK(graph.successors == std::vector<TaskId>{TaskId{1}, TaskId{2}});
    CHECK(
        simulate(f.graph(), on_nodes({0, 1}), platform_of(2, 1, 0), no_overheads()).outcome.makespan.value ==
        doctest::Approx(2 * core_time + message_time).epsilon(1e-9));
  }

  TEST_CASE("a GPU updates a tile that a core of another node has generated") {
    Simulated const s = simulate(two_phases(true, 2).graph(), {on_nodes({0, 1}), on_nodes({1, 0})},
                                 platform_of(2, 1, 1), no_overheads());
    CHECK(s.outcome.tiles_sent == 6);  // both tiles and the updated one, in each iteration
  }
}
