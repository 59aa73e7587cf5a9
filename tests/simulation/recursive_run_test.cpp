#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Settings = std::vector<std::string>;

/// Returns a plan of the LU on one mirage of the first example, with these settings.
TaskPlan plan_with(Settings settings) {
  settings.insert(settings.begin(), {"/application/nt=4", "/network/model=maxmin"});
  return plan_tasks(place(read_scenario(repository() / "scenarios/first/lu_mirage.json", settings)));
}

std::string recursive(std::string const& splitter) {
  return "/application/recursive={\"tile\": 320, \"splitter\": \"" + splitter + "\"}";
}

/// A splitter that decides by the number of the task.
class GivenSplitter final : public Splitter {
 public:
  explicit GivenSplitter(std::uint32_t modulus) : modulus_(modulus) {}
  bool splits(std::uint32_t task, std::size_t /*kernel*/, SplitState const& /*state*/) override {
    return modulus_ > 0 && task * 2654435761U / 65536U % modulus_ != 0;
  }

 private:
  std::uint32_t modulus_;  // 0: keeps all
};

TaskPlan plan_given(std::uint32_t modulus, Settings settings = {}) {
  settings.push_back(recursive("always"));
  TaskPlan plan = plan_with(settings);
  plan.recursion->make_splitter = [modulus](SplitCosts const&) {
    return std::make_unique<GivenSplitter>(modulus);
  };
  return plan;
}

Settings without_costs() {
  Settings out{"/runtime/reserved_cores=11"};  // one of 12 for tasks
  for (char const* const cost :
       {"submission_cost_s", "push_cost_s", "fetch_cost_s", "progress_cost_s", "wont_use_cost_s"})
    out.push_back(std::string("/runtime/") + cost + "=0");
  return out;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a run that keeps all recursive tasks is the run on whole tiles") {
    for (char const* const policy : {"dmdas", "eager", "lws"}) {
      CAPTURE(policy);
      std::string const scheduler = std::string("/scheduler/type=") + policy;
      TaskPlan const plain = plan_with({scheduler});
      TaskPlan kept = plan_given(0, {scheduler});
      kept.grid = plain.grid;
      SimulationOutcome const a = simulate_with_seed(plain, 0, nullptr, {});
      SimulationOutcome const b = simulate_with_seed(kept, 0, nullptr, {});
      CHECK(a.makespan == b.makespan);
      CHECK(a.host_to_device == b.host_to_device);
      for (std::size_t t = 0; t < plain.graph.task_count(); ++t) CHECK(a.dates[t].end_s == b.dates[t].end_s);
    }
  }

  TEST_CASE("the splitter never changes no number") {
    Result const plain = simulate(plan_with({}));
    Result const never = simulate(plan_with({recursive("never")}));
    CHECK(plain.makespan == never.makespan);
    CHECK(plain.tasks_by_kernel == never.tasks_by_kernel);
    CHECK(plain.bounds.problem() == never.bounds.problem());
  }

  TEST_CASE("on one core and without costs all split tasks last as long as the run on small tiles") {
    Settings settings = without_costs();
    settings.insert(settings.end(), {"/runtime/max_gpus=0", "/scheduler/type=eager"});
    Settings split = settings, small = settings;
    split.push_back(recursive("always"));
    small.insert(small.end(), {"/application/nt=12", "/application/nb=320"});
    Result const a = simulate(plan_with(split)), b = simulate(plan_with(small));
    CHECK(a.makespan.value == doctest::Approx(b.makespan.value).epsilon(1e-9));
    CHECK(a.nodes.front().busy.value == doctest::Approx(b.nodes.front().busy.value).epsilon(1e-9));
    CHECK(a.tasks == b.tasks + 30);  // the splits
  }

  TEST_CASE("tasks of a run with random decisions follow those that they depend on and no bound is beaten") {
    for (std::uint32_t const modulus : {2U, 3U, 5U})
      for (char const* const policy : {"dmdas", "dmda", "eager", "lws", "heteroprio"}) {
        CAPTURE(modulus);
        CAPTURE(policy);
        TraceRecords records;
        TaskPlan const plan = plan_given(modulus, {std::string("/scheduler/type=") + policy});
        auto const [result, taken] = simulate_run(plan, &records);  // checks the bounds
        Trace const trace = run_trace(*taken, records);
        REQUIRE(result.tasks == trace.task_count());
        for (std::uint32_t t = 0; t < trace.task_count(); ++t)
          for (TaskId const before : trace.predecessors_of(TaskId{t}))
            CHECK(trace.end_s[before.index()] <= trace.start_s[t]);
        double operations = 0;
        for (double const flops : trace.flops) operations += flops;
        CHECK(operations == doctest::Approx(plan.total_flops.value).epsilon(1e-9));
      }
  }

  TEST_CASE("the auditor accepts runs with recursive tasks") {
    for (char const* const splitter : {"always", "cores", "linear-program"})
      for (std::string const scenario : {"first/lu_mirage.json"}) {
        CAPTURE(splitter);
        RecordedRun const run =
            recorded_run(scenario, "--set /application/nt=6 --set '" + recursive(splitter) + "'");
        audit::AuditReport const report = audit_run(run);
        CHECK_MESSAGE(report.broken() == 0, findings(report));
        CHECK(run.result["tasks_by_kernel"]["split"].get<int>() > 0);
      }
  }

  TEST_CASE("what recursive tasks cannot be combined with is refused") {
    auto const message = [](Settings const& settings) -> std::string {
      try {
        (void)plan_with(settings);
      } catch (InputError const& error) {
        return error.what();
      }
      return {};
    };
    std::string const always = recursive("always");
    CHECK(message({always, "/scheduler/type=heft"}).find("#/scheduler/type: is \"heft\"") !=
          std::string::npos);
    CHECK(message({always, "/runtime/max_submitted_tasks=10"}).find("limits the submission") !=
          std::string::npos);
    CHECK(message({"/application/recursive={\"tile\": 321}"}).find("#/application/recursive/tile: is 321") !=
          std::string::npos);
    CHECK(message({"/application/recursive={}"}).find("needs one of") != std::string::npos);
    CHECK(message({"/application/recursive={\"split\": 6}"}).find("tiles of 160 cannot run") !=
          std::string::npos);
  }
}
