// Varying durations, end to end: scenarios with noise, and replicas.

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// A command line for the first scenario with few tiles.
std::string run_first(std::string const& options) {
  return "run " + testing::quoted(testing::first_scenario()) + " --set /application/nt=8 " + options;
}

nlohmann::json result_without_speed(ProgramRun const& run) {
  nlohmann::json result = testing::json_of(run);
  result.erase("simulation");
  return result;
}

/// Worker and dates of each task: all decisions of a simulation.
std::vector<std::array<double, 4>> schedule_of(std::vector<std::string> settings, bool with_samples = false) {
  settings.insert(settings.end(), {"/application/nt=8", "/network/model=maxmin"});
  PlacedScenario scenario = place(read_scenario(testing::first_scenario(), settings));
  if (with_samples)
    for (KernelModel& model : scenario.models)
      for (KernelTiming& timing : model.timings) timing.sample_seconds = {0.5 * timing.mean.value};
  TraceRecords trace;
  simulate(plan_tasks(std::move(scenario)), &trace);
  std::vector<std::array<double, 4>> schedule;
  for (auto const& t : trace.tasks)
    schedule.push_back({static_cast<double>(t.task.value()), static_cast<double>(t.worker.value()),
                        t.start.value, t.end.value});
  return schedule;
}

std::string const lognormal = "--set /noise/distribution=lognormal ";

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("noise of scale 0 gives exactly the run without noise") {
    auto const without = schedule_of({});
    for (std::string const policy : {"dmdas", "eager"})
      for (std::string const distribution : {"none", "normal", "lognormal", "empirical"}) {
        CAPTURE_ALL(policy, distribution);
        CHECK(schedule_of(
                  {"/scheduler/type=" + policy, "/noise/distribution=" + distribution, "/noise/scale=0"},
                  true) == schedule_of({"/scheduler/type=" + policy}));
      }
    CHECK(schedule_of({"/noise/distribution=lognormal"}) != without);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("replicas give the spread of the makespans of consecutive seeds") {
    nlohmann::json const all =
        result_without_speed(run_factosim(run_first("--json --replicas 3 --set /seed=5 " + lognormal)));
    nlohmann::json const& replicas = all["replicas"];
    CHECK(replicas["count"] == 3);
    CHECK(replicas["seeds"] == nlohmann::json{5, 6, 7});
    for (std::size_t i = 0; i < 3; ++i) {
      nlohmann::json const alone = result_without_speed(
          run_factosim(run_first("--json " + lognormal + "--set /seed=" + std::to_string(5 + i))));
      CHECK(replicas["makespan_s"]["values"][i] == alone["makespan_s"]);
      CHECK(replicas["gflops"]["values"][i] == alone["gflops"]);
      CHECK_FALSE(alone.contains("replicas"));
    }
    CHECK(all["makespan_s"] == replicas["makespan_s"]["values"][0]);
    for (char const* jobs : {"1", "3"})
      CHECK(all == result_without_speed(run_factosim(
                       run_first("--json --replicas 3 --set /seed=5 " + lognormal + "--jobs " + jobs))));
    for (char const* quantity : {"makespan_s", "gflops"}) {
      CHECK(replicas[quantity]["deviation"] > 0);
      CHECK(replicas[quantity]["ci95_low"] < replicas[quantity]["mean"]);
      CHECK(replicas[quantity]["ci95_high"] > replicas[quantity]["mean"]);
    }
  }

  TEST_CASE("replicas are deterministic and write the trace of the first one") {
    TemporaryFolder const folder;
    auto const run = [&](std::string const& name, std::string const& options) {
      return run_factosim(run_first(options + lognormal + "--out '" + (folder / name).string() + "'"));
    };
    ProgramRun const a = run("a", "--replicas 4 ");
    CHECK(a.code == 0);
    CHECK(a.err.empty());
    CHECK(testing::contains(a.out, "makespan of 4 replicas: mean "));
    CHECK(run("b", "--replicas 4 ").code == 0);
    CHECK(run("alone", "").code == 0);
    auto const result = [&](std::string const& name) {
      nlohmann::json out = nlohmann::json::parse(testing::text_of(folder / name / "result.json"));
      out.erase("simulation");
      return out;
    };
    CHECK(result("a").dump() == result("b").dump());
    CHECK(testing::text_of(folder / "a" / "trace.paje") == testing::text_of(folder / "alone" / "trace.paje"));
    nlohmann::json first = result("a");
    first.erase("replicas");
    CHECK(first == result("alone"));
  }

  TEST_CASE("replicas print a prediction interval of one run that is wider than that of the mean") {
    std::string const replicas = "--replicas 5 --noise lognormal ";
    nlohmann::json const spread =
        result_without_speed(run_factosim(run_first("--json --interval 0.9 " + replicas)))["replicas"];
    CHECK(spread["interval"] == 0.9);
    nlohmann::json const& s = spread["makespan_s"];
    // t(0.95) of 4 degrees of freedom is 2.1318.
    double const half_width = s["prediction_high"].get<double>() - s["mean"].get<double>();
    CHECK(std::abs(half_width / (2.1318 * s["deviation"].get<double>() * std::sqrt(1.2)) - 1) < 1e-4);
    CHECK(s["prediction_low"] < s["ci95_low"]);
    ProgramRun const text = run_factosim(run_first(replicas));
    CHECK(testing::contains(text.out, "a single run: 95 % prediction interval "));
  }

  TEST_CASE("replicas without random numbers are reported to be equal") {
    ProgramRun const same = run_factosim(run_first("--json --replicas 2"));
    CHECK(testing::contains(same.err, "warning: all 2 replicas are the same"));
    CHECK(result_without_speed(same)["replicas"]["makespan_s"]["deviation"] == 0);
    for (std::string const& options : {lognormal, std::string("--set /scheduler/type=random"),
                                       std::string("--set /noise/worker_speed_deviation=0.1"),
                                       std::string("--set /noise/run_speed_deviation=0.1")}) {
      ProgramRun const drawn = run_factosim(run_first("--json --replicas 2 " + options));
      CHECK(drawn.err.empty());
      CHECK(result_without_speed(drawn)["replicas"]["makespan_s"]["deviation"] > 0);
    }
  }

  TEST_CASE("mistakes about noise and replicas end with exit code 2 and say what to do") {
    struct Case {
      std::string options, says;
    };
    for (auto const& [options, says] : std::vector<Case>{
             {"--set /noise/distribution=uniform", "Use one of: none, normal, lognormal, empirical"},
             {"--set /noise/scale=-1", "#/noise/scale: is -1 (it must lie between 0 and 1000)"},
             {"--set /noise/first_execution_factor=0.5",
              "#/noise/first_execution_factor: is 0.5 (it must lie"},
             {"--set /noise/worker_speed_deviation=-0.1", "#/noise/worker_speed_deviation: is -0.1"},
             {"--set /noise/scale=wide", "#/noise/scale: "},
             {"--set /noise/sigma=1", "#/noise/sigma: unknown key"},
             {"--set /noise/run_speed_deviation=-0.1", "#/noise/run_speed_deviation: is -0.1"},
             {"--set /noise/type=uniform", "Use one of: none, normal, lognormal, empirical, calibrated"},
             {"--set /noise/type=normal --set /noise/distribution=normal", "stands beside \"distribution\""},
             {"--noise calibrated", "has no \"variability\""},
             {"--set '/noise={\"type\": \"calibrated\", \"run_speed_deviation\": 1}'",
              "#/noise/run_speed_deviation: stands beside calibrated noise"},
             {"--noise wide", "Use one of: none, normal"},
             {"--replicas 3 --interval 1.5", "--interval"},
             {"--set /noise/distribution=empirical", "has no \"samples_s\""},
             {"--set /noise/distribution=empirical", "on cuda0 of mirage"},
             {"--replicas 0", "--replicas"},
             {"--replicas -3", "--replicas"},
             {"--replicas many", "--replicas"},
             {"--replicas", "--replicas"}}) {
      CAPTURE(options);
      ProgramRun const run = run_factosim(run_first(options));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(run.out.empty());
      CHECK(testing::contains(run.err, says));
    }
  }
}
