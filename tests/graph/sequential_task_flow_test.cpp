#include "factosim/sequential_task_flow.hpp"

#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr Access R = Access::read;
constexpr Access W = Access::write;
constexpr Access RW = Access::read_write;

/// Edges of tasks that access only handle 0, in these modes.
std::vector<Edge> edges_on_one_handle(std::vector<Access> const& modes) {
  Program program;
  for (Access const mode : modes) program.push_back({access(0, mode)});
  return edges_of(graph_of(program, 1));
}

/// Returns the access of task t to handle h, or null; a task names a handle at most once.
DataAccess const* use_of(Program const& program, std::size_t t, HandleId h) {
  for (DataAccess const& a : program[t])
    if (a.handle() == h) return &a;
  return nullptr;
}

/// The rule, from its words: a reader waits for the last writer, a writer for the readers since then, else
/// for the last writer. Looks backwards over the whole program.
std::set<Edge> edges_by_rule(Program const& program) {
  std::set<Edge> edges;
  for (std::size_t t = 0; t < program.size(); ++t)
    for (DataAccess const& mine : program[t]) {
      bool readers_between = false;
      for (std::size_t s = t; s-- > 0;) {
        DataAccess const* const theirs = use_of(program, s, mine.handle());
        if (theirs == nullptr) continue;
        bool const writer = writes(theirs->mode());
        bool const waits = writer ? !(writes(mine.mode()) && readers_between) : writes(mine.mode());
        if (waits) edges.emplace(s, t);
        readers_between = readers_between || !writer;
        if (writer) break;
      }
    }
  return edges;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("an access packs the handle and the mode") {
    DataAccess const a{HandleId{0x3ffffffeU}, RW};
    CHECK(a.handle() == HandleId{0x3ffffffeU});
    CHECK(a.mode() == RW);
    CHECK(reads(R));
    CHECK_FALSE(writes(R));
    CHECK_FALSE(reads(W));
    CHECK(writes(W));
    CHECK(reads(RW));
    CHECK(writes(RW));
  }

  TEST_CASE(
      "a reader waits for the last writer and a writer for the readers since then, else for that writer") {
    using Edges = std::vector<Edge>;
    for (auto const& [modes, edges] : {std::pair<std::vector<Access>, Edges>{{W, R}, {{0, 1}}},
                                       {{R, W}, {{0, 1}}},
                                       {{W, W}, {{0, 1}}},
                                       {{R, R, R}, {}},
                                       {{W, R, R, R, W}, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}}},
                                       {{W, R, W, R}, {{0, 1}, {1, 2}, {2, 3}}},
                                       {{RW, RW, RW, RW}, {{0, 1}, {1, 2}, {2, 3}}},
                                       {{RW, R, R, RW}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}}}) {
      CAPTURE(modes.size());
      CHECK(edges_on_one_handle(modes) == edges);
    }
  }

  TEST_CASE("two handles shared by two tasks give one edge") {
    TaskGraph const graph = graph_of(
        {{access(0, W), access(1, RW)}, {access(0, R), access(1, RW)}, {access(0, W), access(1, W)}}, 2);
    CHECK(edges_of(graph) == std::vector<Edge>{{0, 1}, {1, 2}});
    CHECK(graph.predecessors == std::vector<std::uint32_t>{0, 1, 1});
  }

  TEST_CASE("accesses of one task to one handle are merged and the task does not wait for itself") {
    TaskGraph const graph = graph_of({{access(0, W)},
                                      {access(0, R)},
                                      {access(0, R), access(1, R), access(0, RW)},
                                      {access(0, W), access(0, R)},
                                      {access(0, R), access(0, R)},
                                      {access(0, W), access(0, W)}},
                                     2);
    CHECK(edges_of(graph) == std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
    CHECK(graph.access_begin == std::vector<std::uint32_t>{0, 1, 2, 4, 5, 6, 7});
    std::vector<Access> modes;
    for (DataAccess const a : graph.accesses) modes.push_back(a.mode());
    CHECK(modes == std::vector<Access>{W, R, RW, R, RW, R, W});
  }

  TEST_CASE("successors are sorted whichever handle they come from") {
    TaskGraph const graph = graph_of({{access(0, W), access(1, W), access(2, W)},
                                      {access(2, R)},
                                      {access(0, R)},
                                      {access(1, R)},
                                      {access(2, RW)}},
                                     3);
    CHECK(edges_of(graph) == std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {1, 4}});
  }

  TEST_CASE("a hint marks the last writer of the handle") {
    SequentialTaskFlow flow = flow_of({{access(0, W)}, {access(0, RW)}, {access(0, R)}, {access(1, W)}}, 2);
    flow.wont_use(HandleId{0});
    TaskGraph const graph = std::move(flow).finish();
    CHECK(graph.writes_back == std::vector<bool>{false, true, false, false});
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a hint for a handle that is only read is refused") {
    SequentialTaskFlow flow = flow_of({{access(0, R)}}, 1);
    CHECK_THROWS_AS(flow.wont_use(HandleId{0}), ContractError);
  }
#endif

  TEST_CASE("the graph keeps what was submitted") {
    SequentialTaskFlow flow;
    KernelId const first = flow.add_kernel({.name = "first", .flops = {1}});
    KernelId const second = flow.add_kernel({.name = "second", .flops = {2}, .asynchronous_on_gpu = false});
    HandleId const a = flow.add_handle({.size = {10}, .m = 1, .n = 2});
    HandleId const b = flow.add_handle({.size = {20}, .m = 3, .n = 4});
    std::vector<DataAccess> const accesses{{a, R}, {b, RW}};
    CHECK(flow.submit(second, -7, {1, 2, 3}, accesses) == TaskId{0});
    CHECK(flow.submit(first, 9, {4, 5, 6}, {}) == TaskId{1});
    TaskGraph const graph = std::move(flow).finish();
    REQUIRE(graph.task_count() == 2);
    CHECK(graph.kernel_of(TaskId{0}).name == "second");
    CHECK(graph.kernel_of(TaskId{1}).name == "first");
    CHECK(graph.priority == std::vector<std::int32_t>{-7, 9});
    CHECK(graph.indices[0].n == 3);
    CHECK(graph.handles[1].size == Bytes{20});
    REQUIRE(graph.accesses_of(TaskId{0}).size() == 2);
    CHECK(graph.accesses_of(TaskId{0})[1].handle() == b);
    CHECK(graph.accesses_of(TaskId{1}).empty());
    CHECK(graph.written_by(TaskId{0}) == b);
    CHECK_FALSE(graph.written_by(TaskId{1}).valid());
    CHECK(graph.edge_count() == 0);
  }

  TEST_CASE("a flow that gave its graph starts afresh") {
    SequentialTaskFlow flow = flow_of({{access(0, W)}}, 1);
    static_cast<void>(std::move(flow).finish());
    KernelId const kernel = flow.add_kernel({.name = "again", .flops = {1}});
    HandleId const handle = flow.add_handle({.size = {1}});
    std::vector<DataAccess> const accesses{{handle, RW}};
    CHECK(flow.submit(kernel, 0, {}, accesses) == TaskId{0});
    TaskGraph const graph = std::move(flow).finish();
    CHECK(graph.task_count() == 1);
    CHECK(graph.edge_count() == 0);
  }
}

TEST_SUITE("property") {
  TEST_CASE("random programs give exactly the edges of the rule") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      Program const program = random_program(random, random.between(1, 60), random.between(1, 12));
      TaskGraph const graph = graph_of(program, 12);
      std::set<Edge> const expected = edges_by_rule(program);
      // In this order: by source, then by target. Equality also says: sorted, no edge twice, none to itself.
      CHECK(edges_of(graph) == std::vector<Edge>(expected.begin(), expected.end()));
      std::vector<std::uint32_t> entering(program.size(), 0);
      for (Edge const& e : expected) ++entering[e.second];
      CHECK(graph.predecessors == entering);
    }
  }
}
