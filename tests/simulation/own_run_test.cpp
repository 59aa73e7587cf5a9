// What a program may ask of a run: its own policy, checked; progress; the folder of the run.

#include <deque>

#include "factosim/graph_simulation.hpp"
#include "factosim/report.hpp"
#include "factosim/run_control.hpp"
#include "factosim/scenario_document.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// A chain of tasks of a second on the first of two nodes, each with two workers: one of its three cores is for messages.
GraphSimulation chain(int tasks) {
  SequentialTaskFlow flow;
  KernelId const step = flow.add_kernel({.name = "step", .flops = {1}});
  HandleId const data = flow.add_handle({.size = {8}});
  for (int i = 0; i < tasks; ++i) flow.submit(step, 0, {}, {{data, Access::read_write}});
  GraphSimulation out;
  out.graph = std::move(flow).finish();
  out.owners = {NodeId{0}};
  NodeType type;
  type.name = "node";
  type.cores = 3;
  type.nic = {BytesPerSecond{1e9}, Seconds{1e-6}};
  out.platform.types = {type};
  out.platform.nodes = {0, 0};
  KernelTiming timing{.kernel = "step", .worker = "cpu"};
  timing.nb = out.nb = 1;
  timing.mean = Seconds{1};
  out.kernels.emplace_back().timings = {timing};
  out.network = NetworkModel::maxmin;
  return out;
}

/// A queue whose answers a test replaces.
class Queue final : public Scheduler {
 public:
  using Push = std::function<Assignment(Queue&, TaskId)>;
  using Pop = std::function<TaskId(Queue&, LocalWorker)>;
  Queue(Push push, Pop pop) : push_(std::move(push)), pop_(std::move(pop)) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    ready.push_back(task);
    return push_ ? push_(*this, task) : to_first_idle();
  }
  TaskId pop(LocalWorker worker) override {
    if (pop_) return pop_(*this, worker);
    if (ready.empty()) return {};
    TaskId const task = ready.front();
    ready.pop_front();
    return task;
  }
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

  std::deque<TaskId> ready;

 private:
  Push push_;
  Pop pop_;
};

RunControl with_policy(Queue::Push push, Queue::Pop pop) {
  RunControl control;
  control.scheduler = [=](NodeView const&) { return std::make_unique<Queue>(push, pop); };
  control.scheduler_name = "queue";
  return control;
}

std::string message_with(Queue::Push push, Queue::Pop pop) {
  try {
    (void)simulate(chain(3), with_policy(std::move(push), std::move(pop)));
  } catch (InputError const& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a policy of a program that answers nonsense is named with the task") {
    CHECK(simulate(chain(3), with_policy({}, {})).makespan == simulate(chain(3)).makespan);
    CHECK(message_with({}, [](Queue&, LocalWorker) { return TaskId{2}; }) ==
          "policy queue#: pop of worker 0 returned task 2 (it was not pushed on this node). Return each task "
          "that was "
          "pushed once");
    CHECK(testing::contains(message_with({}, [](Queue& q, LocalWorker) { return q.ready.front(); }),
                            "returned before"));
    CHECK(testing::contains(message_with({}, [](Queue&, LocalWorker) { return TaskId{3}; }),
                            "no task has this number"));
    CHECK(
        message_with([](Queue&, TaskId) { return Scheduler::to_worker(LocalWorker{2}); }, {}) ==
        "policy queue#: push of task 0 returned worker 2 (the node has workers 0 to 1). Return one of these");
    CHECK(testing::contains(message_with({}, [](Queue&, LocalWorker) { return TaskId{}; }),
                            "keeps 1 task for ever, task 0 on node 0"));
  }

  TEST_CASE("a callback of progress stops a run") {
    RunControl control;
    std::vector<std::uint64_t> calls;
    control.on_progress = [&](std::uint64_t done, std::uint64_t total) {
      CHECK(total == 20000);
      calls.push_back(done);
      return calls.size() < 2;
    };
    CHECK_THROWS_AS((void)simulate(chain(20000), control), RunStopped);
    CHECK(calls == std::vector<std::uint64_t>{4096, 8192});
  }

  TEST_CASE("a program writes the folder of a run once and draws its page and figures") {
    testing::TemporaryFolder const folder;
    RunControl control;
    control.out = folder.path() / "run";
    control.series_points = 10;
    (void)simulate(chain(5), control);
    for (char const* file : {"result.json", "run.trace", "series.json"})
      CHECK(std::filesystem::exists(control.out / file));
    CHECK_THROWS_AS((void)simulate(chain(5), control), InputError);
    write_report_page({control.out}, folder.path() / "page.html");
    CHECK(std::filesystem::file_size(folder.path() / "page.html") > 10000);
    CHECK(testing::contains(figure_json({control.out}, {"workers", "nodes"}), "\"kind\":\"time\""));
    CHECK_THROWS_AS((void)figure_json({control.out}, {"no panel"}), InputError);
    CHECK_THROWS_AS((void)figure_json({}, {"nodes"}), InputError);
    control.force = true;
    control.trace = false;
    std::filesystem::remove_all(control.out);
    (void)simulate(chain(5), control);
    CHECK(!std::filesystem::exists(control.out / "run.trace"));
  }

  TEST_CASE("a scenario document has bounds and a map and keeps its settings") {
    auto const file = testing::repository() / "scenarios/lille/block_cyclic_2x11.json";
    ScenarioDocument document = read_scenario_document(file, {"nt=6"});
    change(document, {"/network/model=\"maxmin\""});
    auto const result = simulate(document);
    CHECK(result["provenance"]["settings"] ==
          nlohmann::json({"/application/nt=6", "/network/model=\"maxmin\""}));
    CHECK(bounds_of(document).abe.value == result["bounds"]["abe_s"].get<double>());
    TileMap const map = distribute(document);
    CHECK(map.mt == 6);
    CHECK(map.at(1, 0) == NodeId{11});
  }

  TEST_CASE("a series that a program asks for is known when the tasks are planned") {
    auto const file = testing::repository() / "scenarios/lille/block_cyclic_2x11.json";
    testing::TemporaryFolder const folder;
    RunControl control;
    control.series_points = 10;
    ScenarioDocument document = read_scenario_document(
        file, {"nt=6", "/network/model=\"maxmin\"", "/application/task_graph=\"formulas\""});
    CHECK_NOTHROW((void)simulate(document, control));  // writes nothing
    control.out = folder.path() / "run";
    std::string const message = testing::message_of([&] { (void)simulate(document, control); });
    CHECK(testing::contains(message, "#/application/task_graph"));
    CHECK(testing::contains(message, "a series is recorded"));
    change(document, {"/application/task_graph=\"automatic\""});
    CHECK_NOTHROW((void)simulate(document, control));
    CHECK(std::filesystem::exists(control.out / "series.json"));
  }
}
