#include "simulator/runtime/policies/hp.hpp"

#include <doctest/doctest.h>

#include <set>

#include "factosim/sequential_task_flow.hpp"
#include "simulator/runtime/policies/hp_lookahead.hpp"
#include "tests/cli/program.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using testing::FakeNode;
using testing::never;
using testing::outside;

namespace {

/// One GPU (worker 0) and three cores; task t is of kernel `kernels[t]`, which lasts `lasts[kernel]` = {GPU, core}.
FakeNode ready_tasks_on(std::vector<int> const& kernels,
                        std::vector<std::pair<double, double>> const& lasts) {
  FakeNode node;
  node.worker_list = {{.memory = LocalMemory{1}, .gpu = true}, {}, {}, {}};
  SequentialTaskFlow flow;
  for (std::size_t k = 0; k < lasts.size(); ++k) flow.add_kernel({.name = "kernel", .flops = {1}});
  for (int const kernel : kernels) {
    auto const [gpu, core] = lasts[static_cast<std::size_t>(kernel)];
    node.lasts[flow.submit(KernelId{kernel}, 0, {}, {})] = {gpu, core, core, core};
  }
  node.task_graph = std::move(flow).finish();
  return node;
}

template <class Policy>
Policy with_all_tasks(FakeNode const& node) {
  Policy policy(node);
  for (std::uint32_t t = 0; t < node.task_graph.task_count(); ++t)
    CHECK(policy.push(TaskId{t}, outside) == Scheduler::to_all_workers());
  return policy;
}

std::vector<std::uint32_t> popped(Scheduler& policy, std::uint32_t worker, std::size_t count) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    TaskId const task = policy.pop(LocalWorker{worker});
    out.push_back(task.valid() ? task.value() : UINT32_MAX);
  }
  return out;
}

constexpr std::uint32_t nothing = UINT32_MAX;
using Tasks = std::vector<std::uint32_t>;

/// Remembers where the data of tasks are requested.
struct Requests final : Prefetcher {
  void prefetch(TaskId task, LocalMemory memory) override { made.emplace_back(task, memory); }
  std::vector<std::pair<TaskId, LocalMemory>> made;
};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("under hp a kernel is last in first out and GPUs leave the least accelerated one to cores") {
    // Accelerations 2, 8 and 1.
    std::vector<std::pair<double, double>> const lasts{{1, 2}, {1, 8}, {1, 1}};
    FakeNode const node = ready_tasks_on({0, 1, 2, 0, 1, 2}, lasts);
    auto gpu = with_all_tasks<HpScheduler>(node);
    CHECK(popped(gpu, 0, 5) == Tasks{4, 1, 3, 0, nothing});
    CHECK(popped(gpu, 1, 3) == Tasks{5, 2, nothing});
    auto core = with_all_tasks<HpScheduler>(node);
    CHECK(popped(core, 2, 6) == Tasks{5, 2, 3, 0, 4, 1});
  }

  TEST_CASE("under hp a kernel that no core can run goes to GPUs and one that no GPU can run to cores") {
    FakeNode const node = ready_tasks_on({0, 1}, {{1, never}, {never, 1}});
    auto policy = with_all_tasks<HpScheduler>(node);
    CHECK(popped(policy, 0, 2) == Tasks{0, nothing});
    CHECK(popped(policy, 1, 2) == Tasks{1, nothing});
    FakeNode const alone = ready_tasks_on({0}, {{1, never}});
    auto only = with_all_tasks<HpScheduler>(alone);
    CHECK(popped(only, 0, 1) == Tasks{0});
  }

  TEST_CASE("the scheduling core of hp-lookahead runs only what no other worker can") {
    FakeNode const node = ready_tasks_on({0, 0, 0, 0}, {{1, 1}});
    auto policy = with_all_tasks<HpLookaheadScheduler>(node);
    CHECK(popped(policy, 1, 1) == Tasks{nothing});
    FakeNode alone;
    alone.worker_list = {{}};
    alone.task_graph = node.task_graph;
    for (std::uint32_t t = 0; t < 4; ++t) alone.lasts[TaskId{t}] = {1};
    auto only = with_all_tasks<HpLookaheadScheduler>(alone);
    CHECK(popped(only, 0, 5) == Tasks{0, 1, 2, 3, nothing});
  }

  TEST_CASE("hp-lookahead gives a task to a core only if a GPU would not end it sooner") {
    // The GPU is idle first on ties and takes task 0, then 1: a core would take 10 seconds for the next, the GPU 2 and 1.
    Requests requests;
    FakeNode const slow = ready_tasks_on({0, 0, 0}, {{1, 10}});
    HpLookaheadScheduler policy(slow);
    policy.connect(requests);
    for (std::uint32_t t = 0; t < 3; ++t) policy.push(TaskId{t}, outside);
    CHECK(popped(policy, 0, 4) == Tasks{0, 1, 2, nothing});
    CHECK(popped(policy, 2, 1) == Tasks{nothing});
    CHECK(requests.made == std::vector<std::pair<TaskId, LocalMemory>>{{TaskId{0}, LocalMemory{1}},
                                                                       {TaskId{1}, LocalMemory{1}},
                                                                       {TaskId{2}, LocalMemory{1}}});
    // A core that takes 1.5 seconds ends the second task before the GPU could: it would be free after 1 and end at 2.
    FakeNode const fast = ready_tasks_on({0, 0}, {{1, 1.5}});
    auto shared = with_all_tasks<HpLookaheadScheduler>(fast);
    CHECK(popped(shared, 0, 2) == Tasks{0, nothing});
    CHECK(popped(shared, 2, 2) == Tasks{1, nothing});
  }

  TEST_CASE("a GPU holds at most nine waiting tasks under hp-lookahead and its work counts until it starts") {
    FakeNode node = ready_tasks_on(std::vector<int>(40, 0), {{1, 1e6}});
    Requests requests;
    HpLookaheadScheduler policy(node);
    policy.connect(requests);
    for (std::uint32_t t = 0; t < 40; ++t) policy.push(TaskId{t}, outside);
    std::set<std::uint32_t> given;
    for (auto const& [task, memory] : requests.made) given.insert(task.value());
    CHECK(given.size() == requests.made.size());  // each once
    Tasks order;
    for (std::uint32_t t = 0; t < 40; ++t) order.push_back(t);
    CHECK(popped(policy, 0, 40) == order);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("check accepts runs under hp and hp-lookahead on one and several nodes") {
    testing::TemporaryFolder const folder;
    for (std::string const policy : {"hp", "hp-lookahead"})
      for (std::string const scenario : {"first/lu_mirage.json", "lu_icpads20/fig06_1d1d.json"}) {
        CAPTURE(policy);
        CAPTURE(scenario);
        std::string const out = testing::quoted(folder / (policy + scenario.substr(0, 2)));
        nlohmann::json const result = testing::json_of(
            "run " + testing::quoted(testing::repository() / "scenarios" / scenario) +
            " --set /application/nt=10 --set /network/model=maxmin --json --set /scheduler/type=" + policy +
            " --out " + out);
        CHECK(result["tasks"] == 10 * 11 * 21 / 6);
        CHECK(testing::run_factosim("check " + out).code == 0);
      }
  }
}
