#include "factosim/sequential_task_flow.hpp"
#include "tests/prelude.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using testing::FakeNode;
using testing::never;
using testing::outside;

namespace {

/// One GPU and two cores; task t is of kernel `kernels[t]`, which lasts `lasts[kernel]`.
FakeNode node_with(std::vector<int> const& kernels, std::vector<std::vector<double>> const& lasts) {
  FakeNode node = testing::gpu_and_two_cores();
  SequentialTaskFlow flow;
  for (std::size_t k = 0; k < lasts.size(); ++k) flow.add_kernel({.name = "kernel", .flops = {1}});
  for (int const kernel : kernels) {
    TaskId const task = flow.submit(KernelId{kernel}, 0, {}, {});
    node.lasts[task] = lasts[static_cast<std::size_t>(kernel)];
  }
  node.task_graph = std::move(flow).finish();
  return node;
}

/// All tasks of the node's graph, pushed in order.
std::unique_ptr<Scheduler> with_all_tasks(FakeNode const& node) {
  auto scheduler = testing::policy("heteroprio", node);
  for (std::uint32_t t = 0; t < node.task_graph.task_count(); ++t) scheduler->push(TaskId{t}, outside);
  return scheduler;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a GPU takes by decreasing acceleration and cores by increasing acceleration") {
    // Accelerations 2, 8 and 1; all tasks of a kernel are enough for both cores.
    FakeNode const node = node_with({0, 1, 2}, {{1, 2, 2}, {1, 8, 8}, {1, 1, 1}});
    auto const gpu = with_all_tasks(node);
    for (std::uint32_t const expected : {1U, 0U, 2U}) CHECK(gpu->pop(LocalWorker{0}) == TaskId{expected});
    CHECK_FALSE(gpu->pop(LocalWorker{0}).valid());
    FakeNode const many = node_with({0, 0, 1, 2}, {{1, 2, 2}, {1, 8, 8}, {1, 1, 1}});
    auto const core = with_all_tasks(many);
    CHECK(core->pop(LocalWorker{1}) == TaskId{3});
    CHECK(core->pop(LocalWorker{2}) == TaskId{0});
  }

  TEST_CASE("kernels that only one kind of worker can run are visited first and by that kind only") {
    FakeNode const node = node_with({0, 1, 2}, {{1, 1, 1}, {9, never, never}, {never, 9, 9}});
    auto const scheduler = with_all_tasks(node);
    CHECK(scheduler->pop(LocalWorker{0}) == TaskId{1});
    CHECK(scheduler->pop(LocalWorker{1}) == TaskId{2});
    CHECK(scheduler->pop(LocalWorker{1}) == TaskId{0});
    for (std::uint32_t w = 0; w < 3; ++w) CHECK_FALSE(scheduler->pop(LocalWorker{w}).valid());
  }

  TEST_CASE("tasks of one kernel are served in the order in which they became ready") {
    FakeNode node = node_with({0, 0, 0}, {{1, 1, 1}});
    node.priorities = {{TaskId{0}, 1}, {TaskId{1}, 3}, {TaskId{2}, 2}};
    auto const scheduler = testing::policy("heteroprio", node);
    for (std::uint32_t const t : {2U, 0U, 1U})
      CHECK(scheduler->push(TaskId{t}, outside) == Scheduler::to_first_idle());
    for (std::uint32_t const t : {2U, 0U, 1U}) CHECK(scheduler->pop(LocalWorker{1}) == TaskId{t});
  }

  TEST_CASE("cores leave as many tasks to a GPU as it is times faster") {
    // 3 times: a core takes from three tasks on.
    FakeNode const node = node_with({0, 0, 0, 0}, {{1, 3, 3}});
    auto const scheduler = with_all_tasks(node);
    CHECK(scheduler->pop(LocalWorker{1}) == TaskId{0});
    CHECK(scheduler->pop(LocalWorker{2}) == TaskId{1});
    CHECK_FALSE(scheduler->pop(LocalWorker{1}).valid());
    CHECK(scheduler->pop(LocalWorker{0}) == TaskId{2});
    CHECK(scheduler->pop(LocalWorker{0}) == TaskId{3});
  }

  TEST_CASE("a GPU leaves tasks to faster cores in proportion to their number") {
    // Twice: the GPU takes from 2 tasks for each of the two cores on.
    FakeNode const node = node_with({0, 0, 0, 0}, {{2, 1, 1}});
    auto const scheduler = with_all_tasks(node);
    CHECK(scheduler->pop(LocalWorker{0}) == TaskId{0});
    CHECK_FALSE(scheduler->pop(LocalWorker{0}).valid());
    for (std::uint32_t const t : {1U, 2U, 3U}) CHECK(scheduler->pop(LocalWorker{1}) == TaskId{t});
  }

  TEST_CASE("a worker skips kernels that only others of its kind can run") {
    FakeNode const node = node_with({0, 1}, {{1, never, 1}, {1, 1, 1}});
    auto const scheduler = with_all_tasks(node);
    CHECK(scheduler->pop(LocalWorker{1}) == TaskId{1});
    CHECK_FALSE(scheduler->pop(LocalWorker{1}).valid());
    CHECK(scheduler->pop(LocalWorker{2}) == TaskId{0});
  }

  TEST_CASE("all workers are woken for a task that a GPU may have to leave to cores") {
    FakeNode const node = node_with({0, 1, 2}, {{2, 1, 1}, {1, 2, 2}, {never, 1, 1}});
    auto const scheduler = testing::policy("heteroprio", node);
    CHECK(scheduler->push(TaskId{0}, outside) == Scheduler::to_all_workers());
    CHECK(scheduler->push(TaskId{1}, outside) == Scheduler::to_first_idle());
    CHECK(scheduler->push(TaskId{2}, outside) == Scheduler::to_first_idle());
  }

  TEST_CASE("a kernel that no worker of the node can run is refused") {
    FakeNode const node = node_with({0}, {{never, never, never}});
    auto const scheduler = testing::policy("heteroprio", node);
    CHECK_THROWS_AS(scheduler->push(TaskId{0}, outside), ContractError);
  }
}
