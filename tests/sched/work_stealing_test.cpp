#include "tests/prelude.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using testing::FakeNode;
using testing::never;
using testing::outside;

namespace {

FakeNode node_with_tasks(std::uint32_t count) {
  FakeNode node = testing::gpu_and_two_cores();
  for (std::uint32_t t = 0; t < count; ++t) node.lasts[TaskId{t}] = {1, 1, 1};
  return node;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a worker keeps what it makes ready and all workers are woken") {
    FakeNode node = node_with_tasks(2);
    auto const ws = testing::policy("ws", node);
    CHECK(ws->push(TaskId{0}, LocalWorker{1}) == Scheduler::to_all_workers());
    ws->push(TaskId{1}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{1}) == TaskId{0});
    CHECK(ws->pop(LocalWorker{1}) == TaskId{1});
    CHECK_FALSE(ws->pop(LocalWorker{1}).valid());
  }

  TEST_CASE("tasks without a pusher and tasks that it cannot run are queued round robin") {
    FakeNode node = node_with_tasks(4);
    node.lasts[TaskId{3}] = {never, 1, 1};
    auto const ws = testing::policy("ws", node);
    for (std::uint32_t t = 0; t < 3; ++t) ws->push(TaskId{t}, outside);  // to 1, 2, 0
    CHECK(ws->pop(LocalWorker{1}) == TaskId{0});
    CHECK(ws->pop(LocalWorker{2}) == TaskId{1});
    CHECK(ws->pop(LocalWorker{0}) == TaskId{2});
    ws->push(TaskId{3}, LocalWorker{0});  // to 1
    CHECK(ws->pop(LocalWorker{1}) == TaskId{3});
  }

  TEST_CASE("a thief takes the most urgent task and the last one of equals") {
    FakeNode node = node_with_tasks(5);
    node.priorities = {{TaskId{0}, 1}, {TaskId{1}, 5}, {TaskId{2}, 5}, {TaskId{3}, 5}};
    auto const ws = testing::policy("ws", node);
    ws->push(TaskId{4}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{1}) == TaskId{4});  // worker 1 is at work
    for (std::uint32_t t = 0; t < 4; ++t) ws->push(TaskId{t}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{2}) == TaskId{3});
    CHECK(ws->pop(LocalWorker{2}) == TaskId{2});
    CHECK(ws->pop(LocalWorker{1}) == TaskId{1});
    CHECK(ws->pop(LocalWorker{0}) == TaskId{0});
  }

  TEST_CASE("nothing is stolen from a worker that found no task at its last pop") {
    FakeNode node = node_with_tasks(2);
    auto const ws = testing::policy("ws", node);
    ws->push(TaskId{0}, LocalWorker{1});
    CHECK_FALSE(ws->pop(LocalWorker{2}).valid());
    CHECK(ws->pop(LocalWorker{1}) == TaskId{0});
    ws->push(TaskId{1}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{2}) == TaskId{1});
  }

  TEST_CASE("a thief does not take tasks that it cannot run") {
    FakeNode node = node_with_tasks(3);
    node.lasts[TaskId{1}] = {never, 1, 1};
    auto const ws = testing::policy("ws", node);
    ws->push(TaskId{0}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{1}) == TaskId{0});
    ws->push(TaskId{2}, LocalWorker{1});
    ws->push(TaskId{1}, LocalWorker{1});
    CHECK(ws->pop(LocalWorker{0}) == TaskId{2});
    CHECK_FALSE(ws->pop(LocalWorker{0}).valid());
    CHECK(ws->pop(LocalWorker{2}) == TaskId{1});
  }
}
