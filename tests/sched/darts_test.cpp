#include "factosim/sequential_task_flow.hpp"
#include "simulator/runtime/policies/future_uses.hpp"
#include "tests/prelude.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using testing::FakeNode;
using testing::outside;

namespace {

/// Brings at once what is prefetched.
struct InstantCopies final : Prefetcher {
  explicit InstantCopies(FakeNode& node) : node(node) {}
  void prefetch(TaskId task, LocalMemory memory) override {
    for (std::size_t i = 0; i < node.task_graph.accesses_of(task).size(); ++i)
      node.copies.insert({node.replica(task, i), memory});
  }
  FakeNode& node;
};

/// GPUs without cores; each task reads the tiles of its entry and lasts one second. Copies last as long.
FakeNode gpus_with(std::size_t gpus, std::size_t tiles, std::vector<std::vector<int>> const& tasks) {
  FakeNode node;
  node.copy_seconds = 1;
  node.memory_nodes = 1 + gpus;
  for (std::size_t g = 0; g < gpus; ++g)
    node.worker_list.push_back({.memory = LocalMemory{g + 1}, .gpu = true});
  SequentialTaskFlow flow;
  flow.add_kernel({.name = "kernel", .flops = {1}});
  for (std::size_t t = 0; t < tiles; ++t) flow.add_handle({.size = Bytes{8}});
  for (std::vector<int> const& reads : tasks) {
    std::vector<DataAccess> accesses;
    for (int const tile : reads) accesses.emplace_back(HandleId{tile}, Access::read);
    node.lasts[flow.submit(KernelId{0}, 0, {}, accesses)] = std::vector<double>(gpus, 1.0);
  }
  node.task_graph = std::move(flow).finish();
  return node;
}

struct List final : ResidentCopies {
  std::vector<int> order;
  std::vector<int> in_use = {};
  explicit List(std::vector<int> copies) : order(std::move(copies)) {}
  LocalReplica first() const override { return LocalReplica{order.front()}; }
  LocalReplica next(LocalReplica copy) const override {
    auto const at = std::ranges::find(order, static_cast<int>(copy.value())) + 1;
    return at == order.end() ? LocalReplica{} : LocalReplica{*at};
  }
  bool evictable(LocalReplica copy) const override {
    return std::ranges::find(in_use, static_cast<int>(copy.value())) == in_use.end();
  }
};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("darts runs what a present tile completes and then the tile that completes two tasks") {
    // After task 0, tiles 0 and 1 are there: tile 1 costs nothing and frees task 3; tile 2 frees tasks 1 and 2. StarPU
    // asks for the transfer to the RAM, where no tile is missing, so that the number of free tasks decides.
    for (bool const as_starpu : {false, true}) {
      CAPTURE(as_starpu);
      FakeNode node = gpus_with(1, 5, {{0, 1}, {0, 2}, {1, 2}, {0, 1}, {3, 4}});
      for (int tile = 0; tile < 5; ++tile) node.copies.insert({LocalReplica{tile}, LocalMemory{0}});
      InstantCopies copies(node);
      SchedulerOptions options;
      options.darts.as_starpu = as_starpu;
      auto const darts = testing::policy("darts", node, options);
      darts->connect(copies);
      for (std::uint32_t t = 0; t < 5; ++t) darts->push(TaskId{t}, outside);
      std::vector<std::uint32_t> order;
      for (TaskId t = darts->pop(LocalWorker{0}); t.valid(); t = darts->pop(LocalWorker{0}))
        order.push_back(t.value());
      bool const expected = order == (as_starpu ? std::vector<std::uint32_t>{0, 2, 1, 3, 4}
                                                : std::vector<std::uint32_t>{0, 3, 2, 1, 4});
      CHECK(expected);
    }
  }

  TEST_CASE("darts hands each task out once for random tasks and numbers of GPUs") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
      CAPTURE(trial);
      std::size_t const gpus = 1 + random() % 3, count = 1 + random() % 40;
      std::vector<std::vector<int>> tasks(count);
      for (auto& reads : tasks)
        for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i)
          reads.push_back(static_cast<int>(random() % 8));
      FakeNode node = gpus_with(gpus, 8, tasks);
      for (std::uint32_t t = 0; t < count; ++t) node.priorities[TaskId{t}] = static_cast<int>(random() % 3);
      InstantCopies copies(node);
      SchedulerOptions options;
      options.darts.selection_order = trial % 8;
      options.darts.as_starpu = trial % 3 != 0;
      options.darts.free_task_memory = trial % 3;
      options.darts.almost_free = trial % 5 != 0;
      auto const darts = testing::policy("darts", node, options);
      darts->connect(copies);
      std::vector<int> popped(count, 0);
      std::uint32_t pushed = 0;
      std::vector<std::pair<LocalWorker, TaskId>> running;
      for (int idle = 0; idle < 20; ++idle) {
        if (pushed < count && random() % 2 == 0) darts->push(TaskId{pushed++}, outside), idle = 0;
        LocalWorker const worker{random() % gpus};
        if (TaskId const t = darts->pop(worker); t.valid()) {
          ++popped[t.index()];
          running.emplace_back(worker, t);
          idle = 0;
        }
        if (!running.empty() && random() % 3 == 0) {
          darts->finished(running.front().first, running.front().second);
          running.erase(running.begin());
        }
        if (random() % 4 == 0) {  // a full memory
          LocalMemory const memory{1 + random() % gpus};
          List const list({0, 1, 2, 3, 4, 5, 6, 7});
          auto const victim = darts->eviction()->victim(
              {.memory = memory, .wanted = LocalReplica{0}, .urgent = random() % 2 == 0, .copies = list});
          if (victim.is == EvictionPolicy::Victim::Is::copy) node.copies.erase({victim.copy, memory});
        }
      }
      CHECK(pushed == count);
      CHECK(std::ranges::all_of(popped, [](int n) { return n == 1; }));
    }
  }

  TEST_CASE(
      "the least used copy is an unknown one then the one with the fewest planned uses then the farthest") {
    FakeNode const node = gpus_with(1, 4, {{0, 1}, {2}, {2, 3}, {3}, {3}});
    LocalMemory const gpu{1};
    List list({3, 2, 1, 0});
    auto const least = [&](FutureUses const& uses, bool urgent) {
      return uses.least_used({.memory = gpu, .wanted = {}, .urgent = urgent, .copies = list});
    };
    FutureUses uses(node);
    for (std::uint32_t t : {1U, 2U, 3U, 4U}) uses.plan(TaskId{t}, gpu);
    CHECK(least(uses, true) == LocalReplica{1});  // nothing known uses 1 and 0; 1 is older
    uses.hand_out(TaskId{0}, gpu);
    CHECK(least(uses, true) == LocalReplica{2});  // two planned uses, copy 3 has three
    uses.hand_out(TaskId{2}, gpu);                // handed out in the order 0 and 1, then 2 and 3
    CHECK_FALSE(least(uses, false).valid());
    CHECK(least(uses, true) == LocalReplica{3});
    list.in_use = {3};
    CHECK(least(uses, true) == LocalReplica{2});
    uses.finish(TaskId{0}, gpu);
    CHECK(least(uses, false) == LocalReplica{1});
  }
}
