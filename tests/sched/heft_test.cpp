#include "simulator/runtime/policies/heft.hpp"

#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr Access R = Access::read;
constexpr Access W = Access::write;
constexpr Access RW = Access::read_write;

/// A fake node; some tasks run on other nodes.
struct PartialNode : FakeNode {
  std::vector<TaskId> elsewhere;
  bool runs_here(TaskId t) const override { return std::ranges::find(elsewhere, t) == elsewhere.end(); }
};

/// One GPU (worker 0) and two cores (workers 1 and 2); task t lasts `lasts[t]`.
PartialNode node_with(Program const& program, int handles, std::vector<std::vector<double>> const& lasts,
                      double copy_seconds = 0) {
  PartialNode node;
  node.worker_list = gpu_and_two_cores().worker_list;
  node.task_graph = graph_of(program, handles);
  for (std::uint32_t t = 0; t < lasts.size(); ++t) node.lasts[TaskId{t}] = lasts[t];
  node.copy_seconds = copy_seconds;
  return node;
}

std::vector<TaskId> sequence_of(HeftPlan const& plan, std::uint32_t worker) {
  return {plan.sequence.begin() + plan.begin[worker], plan.sequence.begin() + plan.begin[worker + 1]};
}

std::vector<TaskId> ids(std::vector<int> const& numbers) { return {numbers.begin(), numbers.end()}; }
std::vector<LocalWorker> workers(std::vector<int> const& numbers) { return {numbers.begin(), numbers.end()}; }

/// Runs a graph on all nodes: pushes ready tasks and lets the workers pop in turn until none finds a task.
/// Returns how many tasks ran.
std::size_t run_together(std::vector<PartialNode> const& nodes) {
  TaskGraph const& graph = nodes.front().task_graph;
  std::vector<std::unique_ptr<Scheduler>> schedulers;
  for (PartialNode const& node : nodes) schedulers.push_back(testing::policy("heft", node));
  auto const push = [&](TaskId t) {
    auto const home = std::ranges::find_if(nodes, [&](PartialNode const& n) { return n.runs_here(t); });
    Scheduler& scheduler = *schedulers[static_cast<std::size_t>(home - nodes.begin())];
    CHECK(scheduler.push(t, outside).worker.value() < 3);
  };
  std::vector<std::uint32_t> left = graph.predecessors;
  for (std::uint32_t t = 0; t < left.size(); ++t)
    if (left[t] == 0) push(TaskId{t});
  std::size_t ran = 0;
  std::size_t idle = 0;
  for (std::size_t turn = 0; idle < 3 * nodes.size(); ++turn) {
    ++idle;
    TaskId const task = schedulers[turn / 3 % nodes.size()]->pop(LocalWorker{turn % 3});
    if (!task.valid()) continue;
    idle = 0;
    ++ran;
    CHECK(left[task.index()] == 0);
    for (TaskId const s : graph.successors_of(task))
      if (--left[s.index()] == 0) push(s);
  }
  return ran;
}

/// Durations of tasks on the three workers, in seconds; some last no time, some cannot run everywhere.
std::vector<std::vector<double>> random_durations(Random& random, int tasks) {
  std::vector<std::vector<double>> lasts;
  for (int t = 0; t < tasks; ++t) {
    lasts.push_back({random.between(0, 4) * 1.0, random.between(0, 9) * 1.0, random.between(1, 9) * 1.0});
    if (random.chance(30)) lasts.back()[static_cast<std::size_t>(random.between(0, 1))] = never;
  }
  return lasts;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the rank is the mean duration plus the longest path to the end with mean copies") {
    // 0 -> 1 -> 3 and 0 -> 2 -> 3; task 1 cannot run on the GPU.
    PartialNode const node =
        node_with({{access(0, W)},
                   {access(0, R), access(1, W)},
                   {access(0, R), access(2, W)},
                   {access(1, R), access(2, R), access(0, W)}},
                  3, {{1, 4, 4}, {never, 5, 5}, {2, 2, 2}, {3, 6, 6}}, /*copy_seconds=*/2);
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.rank[3] == doctest::Approx(5));
    CHECK(plan.rank[2] == doctest::Approx(2 + 2 + 5));
    CHECK(plan.rank[1] == doctest::Approx(5 + 2 + 5));
    CHECK(plan.rank[0] == doctest::Approx(3 + 2 + 12));
  }

  TEST_CASE("tasks are placed by decreasing rank and then in order of submission") {
    PartialNode const node = node_with({{access(0, W)}, {access(1, W)}, {access(2, W)}}, 3,
                                       {{1, never, never}, {2, never, never}, {2, never, never}});
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.sequence == ids({1, 2, 0}));
    CHECK(plan.start == std::vector<double>{4, 0, 2});
  }

  TEST_CASE("a task goes to the worker where it ends first, the first one among equals") {
    PartialNode const node = node_with({{access(0, W)}, {access(1, W)}, {access(2, W)}, {access(3, W)}}, 4,
                                       {{2, 3, 3}, {2, 3, 3}, {2, 3, 3}, {2, 3, 3}});
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.worker == workers({0, 1, 2, 0}));  // ends 2, 3 (not 4), 3 (not 4), 4 (not 6)
    CHECK(plan.end == std::vector<double>{2, 3, 3, 4});
  }

  TEST_CASE("a short task fills the first idle gap that is long enough") {
    // Ranks 11, 10, 4, 2. Core 1 runs task 0, then the GPU task 1 from 1 to 11. Tasks 2 and 3 last 4 and
    // 0.75 on the GPU, which is idle before 1: too short for the first, long enough for the second.
    PartialNode const node =
        node_with({{access(0, W)}, {access(0, RW)}, {access(1, W)}, {access(2, W)}}, 3,
                  {{never, 1, never}, {10, never, never}, {4, never, never}, {0.75, never, never}});
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.rank == std::vector<double>{11, 10, 4, 0.75});
    CHECK(plan.start == std::vector<double>{0, 1, 11, 0});
    CHECK(sequence_of(plan, 0) == ids({3, 1, 2}));
  }

  TEST_CASE("the rest of a gap on both sides is filled later") {
    // Task 1 starts at 10 on the GPU; task 3, after task 2, fills 4 to 7; tasks 4 and 5 fit before and
    // after.
    PartialNode const node = node_with(
        {{access(0, W)}, {access(0, RW)}, {access(1, W)}, {access(1, RW)}, {access(2, W)}, {access(3, W)}}, 4,
        {{never, 10, never},
         {9, never, never},
         {never, never, 4},
         {3, never, never},
         {2.5, never, never},
         {2, never, never}});
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.start == std::vector<double>{0, 10, 0, 4, 0, 7});
    CHECK(sequence_of(plan, 0) == ids({4, 3, 5, 1}));
  }

  TEST_CASE("a chain stays on one worker when copies cost more than the GPU gains") {
    Program const chain{{access(0, RW)}, {access(0, RW)}, {access(0, RW)}};
    std::vector<std::vector<double>> const lasts{{2, 3, 3}, {2, 3, 3}, {2, 3, 3}};
    // Initial data is in RAM. GPU: 5 + 2, core: 3; then 3 + 5 + 2 against 6.
    HeftPlan const slow_copies = plan_by_heft(node_with(chain, 1, lasts, /*copy_seconds=*/5));
    CHECK(slow_copies.worker == workers({1, 1, 1}));
    CHECK(slow_copies.end == std::vector<double>{3, 6, 9});
    // GPU: 0.5 + 2, and from there on without a copy.
    HeftPlan const fast_copies = plan_by_heft(node_with(chain, 1, lasts, /*copy_seconds=*/0.5));
    CHECK(fast_copies.worker == workers({0, 0, 0}));
    CHECK(fast_copies.end == std::vector<double>{2.5, 4.5, 6.5});
  }

  TEST_CASE("a task that only overwrites waits for the readers and copies nothing") {
    PartialNode const node = node_with({{access(0, R), access(1, W)}, {access(0, W)}}, 2,
                                       {{never, 3, never}, {1, never, never}}, /*copy_seconds=*/5);
    CHECK(plan_by_heft(node).start == std::vector<double>{0, 3});
  }

  TEST_CASE("outputs of another node arrive in RAM when their longest chain could have ended") {
    // Tasks 0 and 1, elsewhere, last 2 and 3 on the fastest worker of this node.
    PartialNode node = node_with({{access(0, W)}, {access(0, RW)}, {access(0, R), access(1, W)}}, 2,
                                 {{never, 4, 2}, {3, 7, 7}, {1, never, never}}, /*copy_seconds=*/0.5);
    node.elsewhere = ids({0, 1});
    HeftPlan const plan = plan_by_heft(node);
    CHECK(plan.waits_for_other_nodes);
    CHECK(plan.end[1] == doctest::Approx(5));
    CHECK(plan.start[2] == doctest::Approx(5.5));
    CHECK(plan.sequence == ids({2}));
    CHECK(plan.rank[0] == doctest::Approx(3 + 0.5 + 17.0 / 3 + 0.5 + 1));
  }

  TEST_CASE("a worker does not overtake its plan") {
    PartialNode const node =
        node_with({{access(0, W)}, {access(1, W)}}, 2, {{3, never, never}, {1, never, never}});
    auto const heft = testing::policy("heft", node);
    CHECK(heft->push(TaskId{1}, LocalWorker{1}) == to(0));
    CHECK_FALSE(heft->pop(LocalWorker{0}).valid());
    CHECK(heft->push(TaskId{0}, LocalWorker{1}) == to(0));
    CHECK_FALSE(heft->pop(LocalWorker{1}).valid());
    CHECK(heft->pop(LocalWorker{0}) == TaskId{0});
    CHECK(heft->pop(LocalWorker{0}) == TaskId{1});
    CHECK_FALSE(heft->pop(LocalWorker{0}).valid());
  }

  TEST_CASE("if tasks wait for other nodes a worker takes the first ready task of its plan") {
    // Plan: 1 and 2, which task 0 of another node feeds, then 3.
    PartialNode node =
        node_with({{access(0, W)}, {access(0, R), access(1, RW)}, {access(1, RW)}, {access(2, W)}}, 3,
                  {{0, 0, 0}, {4, never, never}, {4, never, never}, {1, never, never}});
    node.elsewhere = ids({0});
    auto const heft = testing::policy("heft", node);
    heft->push(TaskId{3}, outside);
    CHECK(heft->pop(LocalWorker{0}) == TaskId{3});
    heft->push(TaskId{2}, outside);
    heft->push(TaskId{1}, outside);
    CHECK(heft->pop(LocalWorker{0}) == TaskId{1});
    CHECK(heft->pop(LocalWorker{0}) == TaskId{2});
  }

  TEST_CASE("a worker does not wait for a task behind a barrier that its own tasks precede") {
    PartialNode node = node_with({{access(0, W)}, {access(1, W)}}, 2, {{1, never, never}, {9, never, never}});
    node.task_graph.barriers = {1};
    auto const heft = testing::policy("heft", node);
    heft->push(TaskId{0}, outside);
    CHECK(heft->pop(LocalWorker{0}) == TaskId{0});
  }

  TEST_CASE("a task that no worker of its node can run is refused") {
    CHECK_THROWS_AS(plan_by_heft(node_with({{access(0, W)}}, 1, {{never, never, never}})), ContractError);
  }
}

TEST_SUITE("property") {
  TEST_CASE("plans of random programs are complete, possible and free of overlaps") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      int const tasks = random.between(1, 120);
      Program const program = random_program(random, tasks, 10);
      auto const lasts = random_durations(random, tasks);
      PartialNode const node = node_with(program, 10, lasts, random.between(0, 3));
      HeftPlan const plan = plan_by_heft(node);

      REQUIRE(plan.sequence.size() == program.size());
      std::vector<bool> planned(program.size(), false);
      for (std::uint32_t w = 0; w < 3; ++w) {
        double idle_from = 0;
        for (TaskId const t : sequence_of(plan, w)) {
          CHECK_FALSE(planned[t.index()]);
          planned[t.index()] = true;
          CHECK(plan.worker[t.index()] == LocalWorker{w});
          CHECK(plan.start[t.index()] >= idle_from);
          CHECK(plan.end[t.index()] == plan.start[t.index()] + lasts[t.index()][w]);
          idle_from = plan.end[t.index()];
        }
      }
      for (auto const& [before, after] : edges_of(node.task_graph))
        CHECK(plan.start[after] >= plan.end[before]);
      CHECK(run_together({node}) == program.size());
    }
  }

  TEST_CASE("nodes with plans of their own do not deadlock") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      int const tasks = random.between(50, 120);
      Program const program = random_program(random, tasks, 20);
      std::vector<PartialNode> nodes;
      for (int n = 0; n < 2; ++n) nodes.push_back(node_with(program, 20, random_durations(random, tasks)));
      for (int t = 0; t < tasks; ++t)
        nodes[static_cast<std::size_t>(random.between(0, 1))].elsewhere.emplace_back(t);
      CHECK(run_together(nodes) == program.size());
    }
  }
}
