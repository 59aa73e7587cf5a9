// Static schedules: what their files say, whether they fit a task graph, and that a run follows them.

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/schedule_judge.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/schedule/schedule_files.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::message_of;
using testing::TemporaryFolder;

namespace {

/// LU of 3 x 3 tiles, 14 tasks, on a node of 3 GPUs and 9 cores that compute.
nlohmann::json scenario_json(nlohmann::json const& scheduler = {{"type", "dmdas"}}) {
  return {{"platform", "mirage"},
          {"application", {{"type", "lu"}, {"nt", 3}, {"nb", 960}}},
          {"network", {{"model", "maxmin"}}},
          {"scheduler", scheduler}};
}

TaskPlan plan_of(nlohmann::json const& scenario, std::string const& file = "s.json") {
  return plan_tasks(place(scenario_of(scenario, file)));
}

TaskPlan plan_with(std::filesystem::path const& schedule) {
  return plan_of(scenario_json({{"type", "static"}, {"file", schedule.string()}}));
}

/// All tasks on one worker, in the order of submission.
nlohmann::json on_one_worker(TaskPlan const& plan, std::string const& worker) {
  nlohmann::json tasks = nlohmann::json::array();
  for (TaskId const t : in_submission_order(plan.stored().graph))
    tasks.push_back({{"task", tasks.size()},
                     {"kernel", plan.stored().graph.kernel_of(t).name},
                     {"node", 0},
                     {"worker", worker},
                     {"position", tasks.size()}});
  return {{"format", "factosim-schedule"}, {"version", 1}, {"tasks", tasks}};
}

std::string records(std::size_t tasks, std::string const& fields = "SpecificWorker: 3\nWorkerorder: {}\n") {
  std::string out;
  for (std::size_t i = 1; i <= tasks; ++i)
    out += fmt::format("SubmitOrder: {}\n", i) + fmt::format(fmt::runtime(fields), i) + "\n";
  return out;
}

constexpr std::size_t lu_tasks = 14;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a schedule on one core takes the sum of the kernels and of what the runtime costs") {
    TemporaryFolder const folder;
    TaskPlan plan = plan_of(scenario_json());
    plan = plan_with(folder.write("a.json", on_one_worker(plan, "cpu0").dump()));
    double kernels = 0;
    for (std::uint32_t t = 0; t < plan.stored().graph.task_count(); ++t)
      kernels +=
          plan.machine.durations(NodeId{0}, plan.stored().graph.kernel[t])[plan.machine.type(NodeId{0}).gpus];
    double const makespan = simulate_with_seed(plan, 0, nullptr, {}).makespan.value;
    CHECK(makespan > kernels);
    CHECK(makespan < kernels + 1e-3);
  }

  TEST_CASE("strict workers wait for their next task and others take what is ready") {
    // Two copies of one schedule: the order of two tasks that are ready at once is reversed on their worker.
    TemporaryFolder const folder;
    TaskPlan const plan = plan_of(scenario_json());
    nlohmann::json schedule = on_one_worker(plan, "cuda0");
    // trsm tasks 1 .. 4 wait for getrf only; the last one is put first of all.
    schedule["tasks"][4]["position"] = 1;
    for (int const t : {1, 2, 3}) schedule["tasks"][static_cast<std::size_t>(t)]["position"] = t + 1;
    for (bool const strict : {true, false}) {
      schedule["order"] = strict ? "strict" : "ready";
      TaskPlan const planned = plan_with(folder.write("a.json", schedule.dump()));
      auto const dates = simulate_with_seed(planned, 0, nullptr, {}).dates;
      CHECK(dates[4].start_s < dates[1].start_s);
      CHECK(dates[1].start_s < dates[2].start_s);
      CHECK(planned.stored().recording->strict == strict);
    }
  }

  TEST_CASE("a schedule that does not fit is refused with its place and its task") {
    TemporaryFolder const folder;
    TaskPlan const plan = plan_of(scenario_json());
    REQUIRE(plan.stored().graph.task_count() == lu_tasks);
    nlohmann::json const good = on_one_worker(plan, "cuda1");
    auto const message = [&](nlohmann::json const& document) {
      return message_of([&] { (void)plan_with(folder.write("a.json", document.dump())); });
    };
    CHECK(message(good).empty());
    auto const changed = [&](std::string const& pointer, nlohmann::json const& value) {
      nlohmann::json out = good;
      out[nlohmann::json::json_pointer(pointer)] = value;
      return message(out);
    };
    std::string const at = (folder / "a.json").string() + "#";
    struct Case {
      std::string pointer;
      nlohmann::json value;
      std::string where, says;
    };
    for (auto const& [pointer, value, where, says] : std::vector<Case>{
             {"/tasks/5/task", 14, "/tasks/5", "is task 14 (the scenario has 14, numbered from 0)"},
             {"/tasks/5/task", 4, "/tasks/5", "is task 4 again"},
             {"/tasks/5/kernel", "potrf", "/tasks/5", "is potrf (task 5 of the scenario is gemm"},
             {"/tasks/5/node", 1, "/tasks/5", "puts task 5 (gemm) on node 1"},
             {"/tasks/5/worker", "cuda3", "/tasks/5",
              "puts task 5 (gemm) on worker \"cuda3\" (node 0 has cuda0, cuda1"},
             {"/tasks/5/position", 3, "/tasks/5", "the position of task 3"},
             {"/tasks/0/position", 100, "/tasks/", "it waits for task"},
             {"/tasks/5/position", -1, "/tasks/5/position", "-1"},
             {"/tasks/5/date", 1, "/tasks/5/date", "unknown key"}}) {
      CAPTURE(pointer);
      std::string const text = changed(pointer, value);
      CAPTURE(text);
      CHECK(text.starts_with(at + where));
      CHECK(testing::contains(text, says));
    }
    nlohmann::json shorter = good;
    shorter["tasks"].erase(7);
    CHECK(message(shorter) ==
          at + ": has no entry for task 7 (gemm), nor for 0 others (every task needs a worker). "
               "Add them, or give the schedule of this task graph");
  }

  TEST_CASE("orders of two workers that wait for each other are refused before the run") {
    TemporaryFolder const folder;
    TaskPlan const plan = plan_of(scenario_json());
    nlohmann::json schedule = on_one_worker(plan, "cuda0");
    // Task 1 depends on 0 and 5 on 1; each worker has the later one first.
    for (auto const& [task, worker, position] :
         {std::tuple(0, "cuda1", 2), {5, "cuda1", 1}, {1, "cuda2", 1}}) {
      auto& entry = schedule["tasks"][static_cast<std::size_t>(task)];
      entry["worker"] = worker;
      entry["position"] = position;
    }
    std::string const text = message_of([&] { (void)plan_with(folder.write("a.json", schedule.dump())); });
    CHECK(testing::contains(text, "never runs task"));
    schedule["order"] = "ready";  // then no worker waits
    CHECK(message_of([&] { (void)plan_with(folder.write("a.json", schedule.dump())); }).empty());
  }

  TEST_CASE("sched.rec numbers tasks from 1 and GPUs before cores") {
    TemporaryFolder const folder;
    TaskPlan const plan = plan_with(folder.write("sched.rec", records(lu_tasks)));
    CHECK(plan.stored().recording->strict);
    CHECK(std::ranges::all_of(plan.stored().recording->worker, [](auto w) { return w == 3; }));
    CHECK(plan.machine.type(NodeId{0}).worker_names[3] == "cpu0");
    TaskPlan const by_priority =
        plan_with(folder.write("sched.rec", records(lu_tasks, "Workers: 3\nPriority: -{}\n")));
    CHECK(!by_priority.stored().recording->strict);
    CHECK(by_priority.stored().recording->position == plan.stored().recording->position);
    CHECK(by_priority.stored().graph.priority[0] == -1);
  }

  TEST_CASE("records of sched.rec that are wrong are refused with their line") {
    struct Case {
      std::string text;
      int line;
      std::string says;
    };
    for (auto const& [text, line, says] : std::vector<Case>{
             {"SubmitOrder: 0\nSpecificWorker: 1\n", 1, "SubmitOrder is \"0\""},
             {"\n\nSubmitOrder: 1\n", 3, "gives task 0 no worker"},
             {"SubmitOrder: 1\nWorkers: 1 2\n", 2, "one whole number"},
             {"SpecificWorker: 1\n", 1, "names no task"},
             {"SubmitOrder: 1\nSubmitOrder: 2\n", 2, "stands twice"},
             {"SubmitOrder: 1\nSpecificWorker: 1\nDependsOn: 4\n", 3, "adds dependencies to task 0"},
             {"SubmitOrder 1\n", 1, "is no field"},
             {"Order: 1\n", 1, "is no field of sched.rec"},
             {records(3) + "SubmitOrder: 4\nSpecificWorker: 3\n", 13, "for all tasks or for none"},
             {records(3) + "SubmitOrder: 4\nSpecificWorker: 3\nWorkerorder: 5\n", 13,
              "the turn 5 on worker 3, and 4"}}) {
      CAPTURE(text);
      std::string const message = message_of([&] { (void)read_sched_rec(text, "f.rec"); });
      CAPTURE(message);
      CHECK(message.starts_with(fmt::format("f.rec#line {}: ", line)));
      CHECK(testing::contains(message, says));
    }
    StaticSchedule const read =
        read_sched_rec("Prefetch: 2\nMemoryNode: 1\nParameters: 0\n\n" + records(1), "f.rec");
    CHECK(read.tasks.size() == 1);
    CHECK(read.findings.size() == 1);
  }

  TEST_CASE("execution.json has workers of one kind and its fingerprint must agree") {
    nlohmann::json document = {
        {"hardware", {{"num_workers", 2}, {"worker_kind", "cuda"}}},
        {"schedule_fingerprint", {{"op_count", 2}, {"op_names", {"TILE_GEMM", "TILE_ADD"}}}},
        {"ops",
         {{{"index", 1}, {"op", "TILE_ADD"}, {"worker", 0}},
          {{"index", 0}, {"op", "TILE_GEMM"}, {"worker", 1}}}}};
    StaticSchedule const read = read_execution_json(document, "e.json");
    CHECK(!read.strict);
    CHECK(read.tasks[0].task == 1);
    CHECK(read.tasks[1].worker.number == 1);
    document["schedule_fingerprint"]["op_names"] = {"TILE_ADD", "TILE_GEMM"};
    CHECK(message_of([&] {
            (void)read_execution_json(document, "e.json");
          }).starts_with("e.json#/schedule_fingerprint/op_names: "));
    document["ops"][0]["worker"] = 2;
    CHECK(message_of([&] {
            (void)read_execution_json(document, "e.json");
          }).starts_with("e.json#/ops/0/worker: "));
  }

  TEST_CASE("static needs a file and only static takes one") {
    CHECK(testing::contains(message_of([] {
                              (void)plan_of(scenario_json({{"type", "static"}}));
                            }),
                            "the key \"file\" is missing"));
    CHECK(message_of([] {
            (void)plan_of(scenario_json({{"type", "ws"}, {"file", "a"}}));
          }).starts_with("s.json#/scheduler/file: unknown key"));
  }
}

TEST_SUITE("property") {
  TEST_CASE("schedules that policies made are written and read back in all formats and run the same") {
    TemporaryFolder const folder;
    for (std::string const application : {"cholesky", "lu", "gemm"})
      for (std::string const policy : {"dmdas", "heft", "eager"}) {
        CAPTURE_ALL(application, policy);
        nlohmann::json scenario = scenario_json();
        scenario["application"] = {{"type", application}, {"nt", 6}, {"nb", 960}};
        ScheduleJudge judge(plan_of(scenario), JudgeNetwork::own);
        JudgedSchedule const ran = judge.judge(judge.run_policy(policy).schedule);
        TaskPlan const plan = plan_of(scenario);
        ScheduledGraph const of{plan.stored().graph, plan.stored().plan, plan.machine};
        for (std::string const& text :
             {schedule_json(ran.schedule, of, ran.makespan), sched_rec(ran.schedule, of)}) {
          scenario["scheduler"] = {{"type", "static"}, {"file", folder.write("a", text).string()}};
          TaskPlan const read = plan_of(scenario);
          CHECK(simulate_with_seed(read, 0, nullptr, {}).makespan == ran.makespan);
        }
      }
  }

  TEST_CASE("the dm family does again as a schedule what it did") {
    for (std::string const policy : {"dmdap", "dmdas", "dmdasd"}) {
      ScheduleJudge judge(plan_of(scenario_json()), JudgeNetwork::own);
      JudgedSchedule const run = judge.run_policy(policy);
      CHECK(judge.judge(run.schedule).makespan == run.makespan);
    }
  }

  TEST_CASE("round robin on GPUs is written as execution.json and runs the same") {
    TemporaryFolder const folder;
    nlohmann::json scenario = scenario_json();
    TaskPlan const plan = plan_of(scenario);
    ScheduledGraph const of{plan.stored().graph, plan.stored().plan, plan.machine};
    ScheduleJudge judge(plan, JudgeNetwork::own);
    JudgedSchedule const run = judge.judge(round_robin(plan, true));
    auto const text = execution_json(run.schedule, of);
    REQUIRE(text);
    scenario["scheduler"] = {{"type", "static"}, {"file", folder.write("a.json", *text).string()}};
    CHECK(simulate_with_seed(plan_of(scenario), 0, nullptr, {}).makespan == run.makespan);
    CHECK(!execution_json(round_robin(plan, false), of));
  }

  TEST_CASE("a schedule on several nodes keeps to their tasks") {
    TemporaryFolder const folder;
    nlohmann::json scenario = scenario_json();
    scenario["platform"] = {{"file", "mirage"}, {"nodes", {{{"type", "mirage"}, {"count", 3}}}}};
    scenario["application"]["nt"] = 6;
    TaskPlan const plan = plan_of(scenario);
    ScheduledGraph const of{plan.stored().graph, plan.stored().plan, plan.machine};
    ScheduleJudge judge(plan, JudgeNetwork::own);
    JudgedSchedule const ran = judge.judge(judge.run_policy("dmdas").schedule);
    auto const file = folder.write("a.json", schedule_json(ran.schedule, of, ran.makespan));
    scenario["scheduler"] = {{"type", "static"}, {"file", file.string()}};
    CHECK(simulate_with_seed(plan_of(scenario), 0, nullptr, {}).makespan == ran.makespan);
    scenario["distribution"] = {{"type", "block-cyclic"}, {"p", 3}, {"q", 1}};
    CHECK(testing::contains(message_of([&] { (void)plan_of(scenario); }),
                            "the scenario's distribution has it on node"));
    scenario["scheduler"]["file"] = folder.write("s.rec", records(91)).string();
    CHECK(testing::contains(message_of([&] { (void)plan_of(scenario); }), "numbers the workers of one node"));
  }
}
