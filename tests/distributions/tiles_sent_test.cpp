#include "distributions/tiles_sent.hpp"

#include "models/applications/application.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"
#include "tests/distributions/closed_forms.hpp"
#include "tests/graph/random_flow.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

TileMap random_map(Random& random, int nt, int nodes) {
  TileMap map{nt, nt, {}};
  for (int i = 0; i < nt * nt; ++i) map.owner.emplace_back(random.between(0, nodes - 1));
  return map;
}

/// Returns the number of messages of the task graph for this map.
std::uint64_t messages(std::string const& name, std::string const& variant, TileMap const& map, int nodes) {
  TaskGraph graph = testing::graph_on_one_node(name, {.nt = map.nt, .nb = 10, .variant = variant});
  std::vector<NodeId> owner;
  for (HandleInfo const& handle : graph.handles) owner.push_back(map.at(handle.m, handle.n));
  ExecutionPlan const plan = plan_execution(graph, owner, static_cast<std::size_t>(nodes));
  return count_messages(graph, plan);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("Cholesky ignores the upper triangle") {
    TileMap map = block_cyclic(6, 6, {2, 3});
    std::uint64_t const sent = cholesky_tiles_sent(map);
    for (int m = 0; m < 6; ++m)
      for (int n = m + 1; n < 6; ++n) map.owner[static_cast<std::size_t>(6 * m + n)] = NodeId{};
    CHECK(cholesky_tiles_sent(map) == sent);
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a map that is not square is refused") {
    CHECK_THROWS_AS(lu_tiles_sent(block_cyclic(3, 2, {1, 1})), ContractError);
    CHECK_THROWS_AS(cholesky_tiles_sent(block_cyclic(2, 3, {1, 1})), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("on block-cyclic maps LU sends the number of the closed form") {
    for (int n = 1; n <= 30; ++n)
      for (int p = 1; p <= 6; ++p)
        for (int q = 1; q <= 6; ++q) {
          CAPTURE_ALL(n, p, q);
          CHECK(lu_tiles_sent(block_cyclic(n, n, {p, q})) == testing::block_cyclic_lu_tiles_sent(n, {p, q}));
          CHECK(testing::block_cyclic_lu_tiles_sent(n, {p, q}) ==
                testing::block_cyclic_lu_tiles_sent(n, {q, p}));
        }
    for (Grid const grid : {Grid{1, 22}, Grid{4, 25}, Grid{7, 3}, Grid{100, 1}, Grid{10, 120}}) {
      CAPTURE_ALL(grid.p, grid.q);
      CHECK(lu_tiles_sent(block_cyclic(100, 100, grid)) == testing::block_cyclic_lu_tiles_sent(100, grid));
    }
  }

  TEST_CASE("on random maps the messages of the task graph are the tiles sent") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      for (int nodes = 1; nodes <= 9; ++nodes)
        for (int n = 1; n <= 14; ++n) {
          CAPTURE_ALL(seed, nodes, n);
          Random random(seed);
          TileMap const map = random_map(random, n, nodes);
          std::string const variant = seed % 2 == 0 ? "starpu" : "chameleon";
          CHECK(messages("lu", variant, map, nodes) == lu_tiles_sent(map));
          CHECK(messages("cholesky", variant, map, nodes) == cholesky_tiles_sent(map));
        }
  }
}

TEST_SUITE("published") {
  TEST_CASE("StarPU-SimGrid: messages of its MPI examples on 2 x 2 nodes") {
    CHECK(lu_tiles_sent(block_cyclic(20, 20, {2, 2})) == 418);
    CHECK(lu_tiles_sent(block_cyclic(40, 40, {2, 2})) == 1638);
    CHECK(cholesky_tiles_sent_with_flushes(block_cyclic(20, 20, {2, 2})) == 461);
    CHECK(cholesky_tiles_sent_with_flushes(block_cyclic(40, 40, {2, 2})) == 1921);
  }
}
