// The search for a schedule: never worse than a policy, not below bounds, deterministic, and followed to the last digit.

#include "simulator/studies/search/schedule_search.hpp"

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/schedule_moves.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::json_of;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

TaskPlan plan_for(std::string const& application, int nt, std::string const& model = "maxmin",
                  int nodes = 1) {
  return plan_tasks(place(
      scenario_of({{"platform", {{"file", "mirage"}, {"nodes", {{{"type", "mirage"}, {"count", nodes}}}}}},
                   {"application", {{"type", application}, {"nt", nt}, {"nb", 960}}},
                   {"network", {{"model", model}}}},
                  "s.json")));
}

/// Returns whether each task is behind its predecessors, and everything is there once.
bool is_sound(OrderedSchedule const& s, TaskGraph const& graph) {
  if (std::set<TaskId>(s.sequence.begin(), s.sequence.end()).size() != graph.task_count()) return false;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    if (s.sequence[s.place[t]] != TaskId{t}) return false;
    for (TaskId const next : graph.successors_of(TaskId{t}))
      if (s.place[next.index()] <= s.place[t]) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("a found schedule is never worse than its portfolio nor below a bound") {
    for (auto const& [application, nt, model, nodes] : {std::tuple("cholesky", 8, "maxmin", 1),
                                                        {"lu", 6, "simgrid", 1},
                                                        {"gemm", 5, "maxmin", 1},
                                                        {"lu", 8, "maxmin", 3}}) {
      CAPTURE_ALL(application, nodes);
      TaskPlan const plan = plan_for(application, nt, model, nodes);
      FoundSchedule const found = search_schedule(plan, {.runs = 300, .jobs = 2});
      CHECK(found.makespan <= found.best_entry().best());
      CHECK(found.makespan >= bounds_of(plan).distribution());
      CHECK(found.simulations >= 300);
      CHECK(found.simulations < 320);
      // The answer is what a run that follows it takes.
      TaskPlan followed = plan;
      follow(followed, found.schedule);
      CHECK(makespan_in_child(followed) == found.makespan);
    }
  }

  TEST_CASE("the number of processes does not change the answer and the seed does") {
    TaskPlan const plan = plan_for("cholesky", 8);
    FoundSchedule const one = search_schedule(plan, {.runs = 200, .jobs = 1});
    FoundSchedule const three = search_schedule(plan, {.runs = 200, .jobs = 3});
    CHECK(one.makespan == three.makespan);
    CHECK(one.schedule.worker == three.schedule.worker);
    CHECK(one.schedule.position == three.schedule.position);
    TaskPlan other = plan;
    other.scenario.seed = 7;
    CHECK(search_schedule(other, {.runs = 200, .jobs = 2}).schedule.position != one.schedule.position);
  }

  TEST_CASE("moves keep dependencies and workers that can run the task") {
    for (std::string const application : {"cholesky", "exageostat"}) {
      TaskPlan const plan =
          application == "cholesky"
              ? plan_for(application, 7)
              : plan_tasks(place(scenario_of(
                    {{"platform", {{"file", "lille"}, {"nodes", {{{"type", "chifflet"}, {"count", 2}}}}}},
                     {"application", {{"type", application}, {"nt", 6}, {"nb", 960}}},
                     {"network", {{"model", "maxmin"}}}},
                    "s.json")));
      ScheduleJudge judge(plan, JudgeNetwork::repeated);
      JudgedSchedule const start = judge.judge(judge.run_policy("dmdas").schedule);
      ScheduleMoves const moves(plan);
      RanSchedule const run = moves.ran(ordered(start.schedule), start.dates);
      OrderedSchedule changed = run.order;
      REQUIRE(is_sound(changed, plan.stored().graph));
      SearchRandom random(1);
      std::size_t moved = 0;
      for (int i = 0; i < 3000; ++i) {
        OrderedSchedule const before = changed;
        moves.change(changed, run, random);
        moved += before.sequence != changed.sequence || before.worker != changed.worker ? 1 : 0;
        if (i % 50 == 0) REQUIRE(is_sound(changed, plan.stored().graph));
      }
      CHECK(moved > 1000);
      // No move makes tasks wait for each other.
      CHECK(judge
                .judge({.worker = changed.worker,
                        .position = changed.place,
                        .priority = {},
                        .start_s = {},
                        .end_s = {}})
                .makespan > Seconds{0});
    }
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("factosim schedule writes files that runs follow to the last digit") {
    TemporaryFolder const folder;
    std::string const scenario = quoted(folder.write(
        "in/s.json",
        R"({"platform": "mirage", "noise": "normal", "application": {"type": "lu", "nt": 5, "nb": 960, "task_graph": "formulas"}})"));
    std::string const out = quoted(folder / "found");
    auto const found = json_of("schedule " + scenario + " --runs 80 --seed 3 --json --out " + out);
    double const makespan = found["schedule"]["makespan_s"];
    REQUIRE(found["files"].size() >= 2);
    for (auto const& file : found["files"])  // execution.json has no order
      CHECK((file["makespan_s"] == makespan || file["format"] == "execution.json"));
    CHECK(json_of("run --json " + quoted(folder / "found/scenario.json"))["makespan_s"] == makespan);
    CHECK(json_of("run --json " + scenario +
                  " --set noise=none --set application/task_graph=stored --set scheduler/type=static --set "
                  "'scheduler/file=\"../found/sched.rec\"'")["makespan_s"] == makespan);
    CHECK(run_factosim("check " + out).code == 2);  // no run yet
    std::string const run = quoted(folder / "run");
    CHECK(run_factosim("run " + quoted(folder / "found/scenario.json") + " --out " + run).code == 0);
    CHECK(run_factosim("check " + run).code == 0);
    CHECK(run_factosim("validate " + quoted(folder / "found/schedule.json") + " " +
                       quoted(folder / "found/scenario.json"))
              .code == 0);
    // Nothing is replaced, and the same command finds the same.
    CHECK(run_factosim("schedule " + scenario + " --runs 80 --seed 3 --out " + out).code == 2);
    CHECK(json_of("schedule " + scenario + " --runs 80 --seed 3 --json --jobs 3")["search"] ==
          found["search"]);
    // A schedule that changed is noticed.
    folder.write("found/schedule.json", testing::text_of(folder / "found/schedule.json") + "\n");
    CHECK(run_factosim("check " + run).code != 0);
  }

  TEST_CASE("schedule refuses what has no task graph") {
    TemporaryFolder const folder;
    auto const run = run_factosim("schedule " + quoted(testing::repository() / "scenarios/ring/toy.json"));
    CHECK(run.code == 2);
  }
}
