#include "simulator/runtime/policies/expected_queue.hpp"

#include "factosim/sequential_task_flow.hpp"
#include "tests/prelude.hpp"
#include "tests/sched/fake_node.hpp"

using namespace factosim;
using testing::FakeNode;
using testing::never;
using testing::outside;
using testing::to;

namespace {

std::unique_ptr<Scheduler> policy(char const* type, FakeNode const& node) {
  SchedulerOptions options;
  options.type = type;
  return make_scheduler(options, node);
}

FakeNode node_with_tasks(std::uint32_t count) {
  FakeNode node = testing::gpu_and_two_cores();
  for (std::uint32_t t = 0; t < count; ++t) node.lasts[TaskId{t}] = {1, 1, 1};
  return node;
}

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
  TEST_CASE("prio serves by priority and equals in the order in which they became ready") {
    FakeNode node = testing::gpu_and_two_cores();
    for (std::uint32_t t = 0; t < 4; ++t) node.lasts[TaskId{t}] = {1, 1, 1};
    node.priorities = {{TaskId{0}, 1}, {TaskId{1}, 3}, {TaskId{2}, 3}, {TaskId{3}, 2}};
    auto const prio = policy("prio", node);
    for (std::uint32_t t = 0; t < 4; ++t) prio->push(TaskId{t}, outside);
    for (std::uint32_t const expected : {1U, 2U, 3U, 0U})
      CHECK(prio->pop(LocalWorker{1}) == TaskId{expected});
  }

  TEST_CASE("dm ignores transfers and dmda weighs them") {
    FakeNode node = testing::gpu_and_two_cores();
    node.lasts[TaskId{0}] = {1, 3, 3};
    node.transfers[TaskId{0}] = {0, 5};
    CHECK(policy("dm", node)->push(TaskId{0}, outside) == to(0));
    // GPU: max(0, 5) + 1 = 6 and the transfer of 5 counts once more; core: 3.
    CHECK(policy("dmda", node)->push(TaskId{0}, outside) == to(1));
  }

  TEST_CASE("beta weighs transfers and alpha 0 ignores the end") {
    FakeNode node = testing::gpu_and_two_cores();
    node.lasts[TaskId{0}] = {1, 100, 100};
    node.transfers[TaskId{0}] = {0, 2};
    SchedulerOptions options{.type = "dmda", .alpha = 0, .beta = 1};
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(1));
    options = {.type = "dmda", .alpha = 1, .beta = 60};
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(1));  // 0 + 120 against 97
    options.beta = 1;
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(0));  // 0 + 2 against 97
  }

  TEST_CASE("a transfer factor makes predicted transfers count for longer") {
    FakeNode node = testing::gpu_and_two_cores();
    node.lasts[TaskId{0}] = {1, 9, 9};
    node.transfers[TaskId{0}] = {0, 1};
    SchedulerOptions options{.type = "dmda"};
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(0));  // 1 against 7
    options.transfer_factor = 10;
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(1));  // 2 + 10 against 0
  }

  TEST_CASE("gamma weighs the energy of the kernel and of the idle machine") {
    FakeNode node = testing::gpu_and_two_cores();
    node.lasts[TaskId{0}] = {1, 2, never};
    node.worker_list[0].busy_power = 200;  // 200 J against 20 J
    node.worker_list[1].busy_power = 10;
    SchedulerOptions options{.type = "dmda"};
    options.gamma = 1000;  // 0.2 s against 1 + 0.02 s
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(0));
    options.gamma = 10'000;  // 2 s against 1 + 0.2 s
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(1));
    options.idle_power = 100;  // and 100 J for each second after the last queue's end: 1 s against 2 s
    CHECK(make_scheduler(options, node)->push(TaskId{0}, outside) == to(0));
  }

  TEST_CASE("dmdasd counts only the tasks that would run before") {
    FakeNode node = testing::gpu_and_two_cores();
    for (std::uint32_t t = 0; t < 3; ++t) node.lasts[TaskId{t}] = {4, 9, never};
    node.priorities = {{TaskId{0}, 1}, {TaskId{1}, 1}, {TaskId{2}, 2}};
    for (auto const& [type, expected] : {std::pair{"dmdas", 1U}, std::pair{"dmdasd", 0U}}) {
      auto const scheduler = policy(type, node);
      CHECK(scheduler->push(TaskId{0}, outside) == to(0));
      CHECK(scheduler->push(TaskId{1}, outside) == to(0));  // 8 against 9
      // 12 against 9 behind all, 4 before them.
      CHECK(scheduler->push(TaskId{2}, outside) == to(expected));
    }
  }

  TEST_CASE("random draws workers in proportion to their speeds and repeats with the seed") {
    FakeNode node = testing::gpu_and_two_cores();
    for (std::uint32_t t = 0; t < 10'000; ++t) node.lasts[TaskId{t}] = {1, 1, 1};
    node.lasts[TaskId{0}] = {never, never, 1};
    auto chosen = [&](std::uint64_t seed) {
      SchedulerOptions options{.type = "random"};
      options.seed = seed;
      auto const scheduler = make_scheduler(options, node);
      std::vector<LocalWorker> workers;
      for (std::uint32_t t = 0; t < 10'000; ++t)
        workers.push_back(scheduler->push(TaskId{t}, outside).worker);
      return workers;
    };
    auto const workers = chosen(1);
    CHECK(workers[0] == LocalWorker{2});
    CHECK(workers == chosen(1));
    CHECK(workers != chosen(2));
    auto const on_gpu = static_cast<double>(std::count(workers.begin(), workers.end(), LocalWorker{0}));
    CHECK(on_gpu / 10'000 == doctest::Approx(13.33 / 14.33).epsilon(0.01));
  }

  TEST_CASE("the queue estimate follows push pop start and end as StarPU's does") {
    ExpectedQueue queue;
    CHECK(queue.end(3) == doctest::Approx(3));
    queue.push({TaskId{0}, 0, /*transfer=*/1, /*kernel=*/10}, 0, ExpectedQueue::Order::fifo);
    CHECK(queue.end(0) == doctest::Approx(11));
    queue.push({TaskId{1}, 0, 4, 10}, 0,
               ExpectedQueue::Order::fifo);  // the transfer hides behind the 11 s queued
    CHECK(queue.end(0) == doctest::Approx(21));
    CHECK(queue.pop(0) == TaskId{0});
    CHECK(queue.end(0) == doctest::Approx(21));
    queue.started(TaskId{0}, 1);
    CHECK(queue.end(1) == doctest::Approx(21));
    queue.finished(TaskId{0}, 12);  // a second late
    CHECK(queue.end(12) == doctest::Approx(22));
  }

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
