#include "distributions/block_cyclic.hpp"
#include "models/applications/estimated_timings.hpp"
#include "simulator/tasks/graph/critical_path.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;
using testing::Counts;
using testing::tasks_by_kernel;

namespace {

ApplicationParameters parameters(int nt, std::string const& tree) {
  ApplicationParameters p{.nt = nt, .nb = 10};
  p.own_values["tree"] = tree;
  return p;
}

/// In thirds of nb^3, the unit of the literature.
double critical_path_units(TaskGraph const& graph) {
  std::vector<Seconds> durations;
  for (std::uint16_t const kernel : graph.kernel)
    durations.push_back(Seconds{graph.kernels[kernel].flops.value / (1000.0 / 3)});
  return critical_path(graph, durations, {}).length.value;
}

std::uint64_t messages(int nt, std::string const& tree, Grid grid) {
  TileMap const map = block_cyclic(nt, nt, grid);
  TaskGraph graph = application("qr").graph(parameters(nt, tree), map);
  std::vector<NodeId> owner;
  for (HandleInfo const& handle : graph.handles) owner.push_back(map.at(handle.m, handle.n));
  ExecutionPlan const plan = plan_execution(graph, owner, static_cast<std::size_t>(grid.p * grid.q));
  return count_messages(graph, plan);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a tree by nodes is flat on one node and joins triangles between nodes") {
    CHECK(tasks_by_kernel(testing::graph_on_one_node("qr", parameters(6, "nodes")))["ttqrt"] == 0);
    Counts const counts =
        tasks_by_kernel(application("qr").graph(parameters(6, "nodes"), block_cyclic(6, 6, {2, 1})));
    CHECK(counts.at("geqrt") == 11);  // two rows in each iteration, one in the last
    CHECK(counts.at("ttqrt") == 5);
    CHECK(counts.at("tsqrt") == 10);
  }
}

TEST_SUITE("property") {
  TEST_CASE("the operations of every tree add up to those of the factorization") {
    for (std::string const& tree : application("qr").keys.front().choices)
      for (int size = 1; size <= 20; ++size) {
        CAPTURE_ALL(tree, size);
        ApplicationParameters const p = parameters(size, tree);
        double sum = 0;
        for (auto const& graph = application("qr").graph(p, block_cyclic(size, size, {3, 2}));
             std::uint16_t const kernel : graph.kernel)
          sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application("qr").total_flops(p).value).epsilon(1e-12));
      }
  }

  TEST_CASE("messages of QR are those of its closed forms") {
    for (Grid const grid : {Grid{1, 1}, Grid{1, 3}, Grid{2, 1}, Grid{2, 2}, Grid{3, 4}})
      for (int const nt : {1, 2, 5, 12}) {
        CAPTURE_ALL(grid.p, grid.q, nt);
        std::uint64_t flat = 0, nodes = 0;
        for (int m = 1; m < nt; ++m) {
          auto const rows = static_cast<std::uint64_t>(std::min(m, grid.p - 1));
          auto const columns = static_cast<std::uint64_t>(std::min(m, grid.q - 1));
          auto const tiles = static_cast<std::uint64_t>(m);
          flat += (1 + tiles) * columns + (grid.p > 1 ? (1 + tiles) * tiles : 0);
          nodes += (1 + tiles) * (rows + columns) + rows * columns;
        }
        CHECK(messages(nt, "flat", grid) == flat);
        CHECK(messages(nt, "nodes", grid) == nodes);
      }
  }
}

TEST_SUITE("published") {
  TEST_CASE("SC11 tiled QR: the critical path of the flat tree is 30 nt - 34") {
    CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(1, "flat"))) == doctest::Approx(4));
    for (int nt = 2; nt <= 12; ++nt)
      CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(nt, "flat"))) ==
            doctest::Approx(30 * nt - 34));
    CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(2, "binary"))) ==
          doctest::Approx(20));
  }
}
