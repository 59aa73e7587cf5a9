#include "simulator/runtime/policies/expected_queue.hpp"
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

  TEST_CASE("names are listed and an unknown one is refused") {
    FakeNode node = testing::gpu_and_two_cores();
    for (std::string const& name : scheduler_names()) CHECK(make_scheduler({.type = name}, node) != nullptr);
    CHECK_THROWS_AS(policy("fastest", node), std::out_of_range);
  }
}

TEST_SUITE("unit") {
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
}
