// How far a makespan moves where ties and overheads fall otherwise.

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

std::string small_lu(std::string const& options) {
  return "run " + testing::quoted(testing::first_scenario()) +
         " --set /application/nt=5 --set /network/model=maxmin " + options;
}

nlohmann::json without_cost(nlohmann::json result) {
  result.erase("simulation");
  return result;
}

/// A platform of one node with that many equal cores.
std::string cores(int count) {
  return fmt::format(R"({{"format": "factosim-platform", "version": 1, "network": {{"provenance": "none"}},
                          "node_types": {{"node": {{"cores": {}, "cycle_time_s": 0.01,
                                                    "nic": {{"bandwidth_Bps": 1e9, "latency_s": 0}}}}}}}})",
                     count);
}

/// A scenario of a product on one core without any costs: its makespan is the sum of all updates.
nlohmann::json one_core(TemporaryFolder const& folder) {
  folder.write("one.json", cores(1));
  nlohmann::json scenario = {{"format", "factosim-scenario"},
                             {"version", 1},
                             {"platform", "one.json"},
                             {"application", {{"type", "gemm"}, {"nt", 5}, {"nb", 8}}},
                             {"scheduler", {{"type", "eager"}}}};
  for (char const* const cost : {"submission_cost_s", "push_cost_s", "fetch_cost_s", "progress_cost_s"})
    scenario["runtime"][cost] = 0;
  return scenario;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("overheads are drawn within their precision and behaviour stays") {
    NoiseOptions noise{.overhead_precision = 0.2};
    RuntimeOptions const given{.gpu_pipeline = 3};
    double least = 2, most = 0;
    for (noise.perturbation_seed = 0; noise.perturbation_seed < 200; ++noise.perturbation_seed) {
      RuntimeOptions const drawn = perturbed(given, noise);
      double const factor = drawn.push_cost.value / given.push_cost.value;
      least = std::min(least, factor);
      most = std::max(most, factor);
      CHECK(drawn.gpu_pipeline == 3);
      CHECK(drawn.host_alloc_cost.value == 0);
      CHECK(drawn.fetch_cost.value / given.fetch_cost.value != factor);
    }
    CHECK(least >= 0.8);
    CHECK(least < 0.81);
    CHECK(most <= 1.2);
    CHECK(most > 1.19);
    noise.overhead_precision = 0;
    CHECK(perturbed(given, noise).push_cost.value == given.push_cost.value);
  }

  TEST_CASE("runs are distinct only beyond what repetitions differ and in the direction of their means") {
    CHECK_FALSE(distinguish(1, {}, 2, {1.0}).has_value());
    std::vector<double> const near_one{0.9, 1.0, 1.1}, near_two{1.9, 2.0, 2.1};
    CHECK(distinguish(1, near_one, 2, near_two)->distinct);
    CHECK_FALSE(distinguish(1, near_one, 1.1, near_one)->distinct);
    CHECK_FALSE(distinguish(2, near_one, 1, near_two)->distinct);  // single runs the other way round
    Distinction const half = *distinguish(1, near_one, 2, {});
    CHECK_FALSE(half.both_repeated);
    CHECK(half.half_width_s == doctest::Approx(distinguish(1, near_one, 1, near_one)->half_width_s));
    CHECK_FALSE(distinguish(1, {1, 1}, 1, {1, 1})->distinct);
  }
}

TEST_SUITE("property") {
  TEST_CASE("a duration precision moves every kernel by at most as much") {
    auto const durations = [](std::vector<std::string> const& settings) {
      TraceRecords trace;
      std::vector<std::string> all{"/application/nt=6", "/network/model=maxmin", "/scheduler/type=eager"};
      all.insert(all.end(), settings.begin(), settings.end());
      TaskPlan const plan = plan_tasks(place(read_scenario(testing::first_scenario(), all)));
      simulate(plan, &trace);
      double least = INFINITY, most = 0;
      for (auto const& t : trace.tasks) {
        std::uint32_t const node = 0, kernel = plan.stored().graph.kernel[t.task.index()];
        double const mean = plan.machine.durations(NodeId{node}, kernel)[t.worker.index()];
        double const ratio = (t.end - t.start).value / mean;
        least = std::min(least, ratio);
        most = std::max(most, ratio);
      }
      return std::pair(least, most);
    };
    auto const [least, most] = durations({"/noise/duration_precision=0.01"});
    CHECK(least >= 0.99 - 1e-9);
    CHECK(least < 0.991);
    CHECK(most <= 1.01 + 1e-9);
    CHECK(most > 1.009);
    CHECK(durations({"/noise/overhead_precision=0.5"}).second == doctest::Approx(1).epsilon(1e-9));
  }

  TEST_CASE("of one worker the makespan deviates as a sum of uniform draws does") {
    TemporaryFolder const folder;
    std::string const scenario = testing::quoted(folder.write("s.json", one_core(folder).dump()));
    nlohmann::json const run =
        testing::json_of("run " + scenario + " --json --sensitivity 60 --set /noise/duration_precision=0.01");
    auto const& s = run["sensitivity"];
    // 125 updates of d = 0.01 s, each uniform within 1 %: deviation 0.01 d sqrt(125 / 3). But the scenario's own
    // precision perturbs its makespan too.
    double const expected = 0.01 * 0.01 * std::sqrt(125.0 / 3);
    CHECK(s["makespan_s"]["deviation"].get<double>() == doctest::Approx(expected).epsilon(0.3));
    CHECK(s["makespan_s"]["mean"].get<double>() ==
          doctest::Approx(1.25).epsilon(3 * expected / std::sqrt(60) / 1.25));
    CHECK(s["duration_precision"] == 0.01);
    CHECK(s["overhead_precision"] == 0.05);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("the sensitivity leaves the run as it is and its values are those of runs with the keys") {
    nlohmann::json const alone = without_cost(testing::json_of(small_lu("--json")));
    nlohmann::json all = without_cost(testing::json_of(small_lu("--json --sensitivity 3")));
    nlohmann::json const s = all["sensitivity"];
    CHECK(s["count"] == 3);
    for (int i = 1; i <= 3; ++i)
      CHECK(s["makespan_s"]["values"][static_cast<std::size_t>(i - 1)] ==
            testing::json_of(small_lu(fmt::format("--json --set /noise/duration_precision=1e-6 "
                                                  "--set /noise/overhead_precision=0.05 --set /seed={}",
                                                  i)))["makespan_s"]);
    double const makespan = all["makespan_s"];
    CHECK(s["relative"].get<double>() ==
          doctest::Approx(std::max(s["makespan_s"]["prediction_high"].get<double>() - makespan,
                                   makespan - s["makespan_s"]["prediction_low"].get<double>()) /
                          makespan));
    bool const warned = all.contains("findings") &&
                        testing::contains(all["findings"].dump(), "a single run is worth no more than");
    CHECK(warned == (s["relative"] > 0.01));
    all.erase("sensitivity");
    if (warned) all["findings"].erase(all["findings"].size() - 1);
    if (all.contains("findings") && all["findings"].empty()) all.erase("findings");
    CHECK(all == alone);
  }

  TEST_CASE("a schedule that hangs on ties is warned of and one worker's is not") {
    TemporaryFolder const folder;
    nlohmann::json scenario = one_core(folder);
    std::string const one = testing::quoted(folder.write("one_core.json", scenario.dump()));
    ProgramRun const quiet = run_factosim("run " + one + " --sensitivity 4");
    CHECK(quiet.code == 0);
    CHECK(testing::contains(quiet.out, "sensitivity   +- "));
    CHECK(!testing::contains(quiet.out, "a single run is worth"));
    // Equal kernels on 7 equal cores without any cost: all dates tie.
    folder.write("seven.json", cores(7));
    scenario["platform"] = "seven.json";
    scenario["application"] = {{"type", "cholesky"}, {"nt", 7}, {"nb", 8}};
    scenario["scheduler"]["type"] = "eager";
    std::string const seven = testing::quoted(folder.write("ties.json", scenario.dump()));
    ProgramRun const warned = run_factosim("run " + seven + " --sensitivity 8");
    CHECK(warned.code == 0);
    CHECK(testing::contains(warned.out, "a single run is worth no more than +- "));
  }

  TEST_CASE("runs that differ by less than ties move them are not called faster") {
    TemporaryFolder const folder;
    auto const run = [&](std::string const& name, std::string const& options) {
      std::string const out = testing::quoted(folder / name);
      CHECK(run_factosim(small_lu(options + " --sensitivity 6 --out " + out)).code == 0);
      return out;
    };
    std::string const a = run("a", ""), slow = run("slow", "--set /runtime/max_gpus=0");
    std::string const b = run("b", "--set /noise/duration_precision=1e-6 --set /seed=4");
    nlohmann::json const near = testing::json_of("compare --json --no-simulation " + a + " " + b);
    CHECK(near["makespan"]["distinction"]["distinct"] == false);
    CHECK(near["makespan"]["distinction"]["both_repeated"] == true);
    CHECK(testing::contains(run_factosim("compare --no-simulation " + a + " " + b).out, "neither is faster"));
    CHECK(testing::json_of("compare --json --no-simulation " + a + " " +
                           slow)["makespan"]["distinction"]["distinct"] == true);
    CHECK(testing::contains(run_factosim("compare --no-simulation " + slow + " " + a).out,
                            "B is faster: beyond +- "));
    for (std::string const& folder_of_run : {a, b, slow})
      CHECK(run_factosim("check " + folder_of_run).code == 0);
  }

  TEST_CASE("precisions go with every distribution and are listed only where given") {
    nlohmann::json const run = testing::json_of(
        small_lu("--json --set /noise/distribution=lognormal --set /noise/overhead_precision=0.5"));
    CHECK(run["provenance"]["options"]["noise"]["overhead_precision"] == 0.5);
    CHECK_FALSE(run["provenance"]["options"]["noise"].contains("duration_precision"));
    ProgramRun const too_large = run_factosim(small_lu("--set /noise/duration_precision=0.6"));
    CHECK(too_large.code == 2);
    CHECK(testing::contains(too_large.err,
                            "#/noise/duration_precision: is 0.6 (it must lie between 0 and 0.5)"));
    CHECK(run_factosim(small_lu("--sensitivity 1")).code == 2);
    CHECK(run_factosim("run " +
                       testing::quoted(testing::repository() / "scenarios/balance/one_machine.json") +
                       " --sensitivity 3")
              .code == 2);
  }
}
