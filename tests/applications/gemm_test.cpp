#include "distributions/block_cyclic.hpp"
#include "distributions/tiles_sent.hpp"
#include "models/applications/estimated_timings.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a product updates every tile of C once a step with a column of A and a row of B") {
    TaskGraph const graph = testing::graph_on_one_node("gemm", {.nt = 3, .nb = 10});
    REQUIRE(graph.handles.size() == 27);
    TaskId const first{18};  // behind nine loads of A and nine of B
    REQUIRE(graph.kernel_of(first).name == "gemm");
    CHECK(graph.accesses_of(first)[0].handle() == HandleId{9});   // A(0,0)
    CHECK(graph.accesses_of(first)[1].handle() == HandleId{18});  // B(0,0)
    CHECK(graph.accesses_of(first)[2].handle() == HandleId{0});   // C(0,0)
    CHECK(graph.written_by(first) == HandleId{0});
    CHECK(graph.successors_of(first).size() == 1);  // the next update of C(0,0)
  }

  TEST_CASE("by its cycle-time a node takes that long for an update and as counted for the rest") {
    ApplicationParameters const p{.nt = 2, .nb = 100};
    std::vector<Kernel> const kernels = application("lu").kernels(p);
    KernelModel const model = cycle_time_model("slow", Seconds{3}, kernels, p);
    CHECK(model.estimate);
    for (Kernel const& kernel : kernels)
      CHECK(model.duration(kernel.name, "lu", p.precision, "cpu", 100, kernel.flops)->value ==
            doctest::Approx(3 * kernel.flops.value / 2e6).epsilon(1e-12));
    CHECK(model.duration("gemm", "lu", p.precision, "cpu", 100, kernels[3].flops)->value ==
          doctest::Approx(3).epsilon(1e-12));
    CHECK_FALSE(model.timing("gemm", "lu", p.precision, "cuda0", 100));
  }
}

TEST_SUITE("property") {
  TEST_CASE("a product has nt cubed updates and sends columns of A and rows of B") {
    for (int const nt : {1, 2, 5, 9})
      for (Grid const grid : {Grid{1, 1}, Grid{2, 1}, Grid{2, 3}, Grid{3, 3}}) {
        CAPTURE_ALL(nt, grid.p, grid.q);
        ApplicationParameters const p{.nt = nt, .nb = 10};
        TileMap const map = block_cyclic(nt, nt, grid);
        TaskGraph graph = testing::graph_on_one_node("gemm", p);
        auto const n = static_cast<std::uint64_t>(nt);
        CHECK(graph.task_count() == n * n * n + 2 * n * n);
        double sum = 0;
        for (std::uint16_t const kernel : graph.kernel) sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application("gemm").total_flops(p).value).epsilon(1e-12));
        std::vector<NodeId> owner;
        for (HandleInfo const& handle : graph.handles) owner.push_back(map.at(handle.m, handle.n));
        ExecutionPlan const plan = plan_execution(graph, owner, static_cast<std::size_t>(grid.p * grid.q));
        std::uint64_t const receivers =
            static_cast<std::uint64_t>(std::min(nt, grid.p) + std::min(nt, grid.q)) - 2;
        CHECK(count_messages(graph, plan) == n * n * receivers);
        CHECK(product_tiles_sent(map) == n * n * receivers);
      }
  }
}
