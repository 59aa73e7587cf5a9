// Calibration recovers what runs were simulated with: deviations on three levels, costs of the runtime
// system, slow-downs by busy cores. Prediction intervals hold as many further runs as they say.

#include "models/kernel_model_json.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/calibration/duration_effects.hpp"
#include "simulator/studies/calibration/trace_calibration.hpp"
#include "tests/calibration/planted_machine.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;
using nlohmann::json;

namespace {

/// The slow-down of gemm and trsm_ll, where it is planted: each further busy core costs 5 %.
Slowdown planted_slowdown() {
  Slowdown out;
  for (int cores = 1; cores <= 8; ++cores) out.points.push_back({cores, std::pow(1.05, cores - 8)});
  return out;
}

KernelTiming const& timing_of(TraceCalibration const& calibration, std::string const& kernel) {
  auto const& timings = calibration.model.timings;
  auto const found = std::ranges::find_if(timings, [&](KernelTiming const& t) { return t.kernel == kernel; });
  REQUIRE(found != timings.end());
  return *found;
}

std::vector<std::uint32_t> by_start(Trace const& trace) {
  std::vector<std::uint32_t> out(trace.task_count());
  std::iota(out.begin(), out.end(), 0U);
  std::ranges::stable_sort(out, {}, [&](std::uint32_t t) { return trace.start_s[t]; });
  return out;
}

/// Executions of two workers in two runs, whose durations double from one busy core to eight, beside factors of
/// workers and runs and a deviation of 5 %.
std::vector<Execution> doubling_executions() {
  std::vector<Execution> out;
  for (std::uint32_t i = 0; i < 400; ++i) {
    RunWorker const by{i % 2, WorkerId{i / 2 % 2}};
    int const cores = 1 + static_cast<int>(i / 4 % 8);
    double const common = by.run == 0 ? 1.2 : 0.9;
    double const noise = lognormal_factor(0.05, uniform(1, RandomStream::block, i));
    out.push_back({by, common * noise * std::pow(2, (cores - 1) / 7.0), cores});
  }
  return out;
}

double makespan(TaskPlan const& plan, std::uint64_t seed) {
  return simulate_with_seed(plan, seed, nullptr, {}).makespan.value;
}

/// Returns the share of `real` values within the prediction interval of replicas of the plan.
std::pair<int, int> held(TaskPlan const& plan, std::uint64_t first_seed, int replicas, double interval,
                         std::vector<double> const& real) {
  std::vector<Seconds> further;
  for (int i = 1; i < replicas; ++i)
    further.push_back(Seconds{makespan(plan, first_seed + static_cast<std::uint64_t>(i))});
  Spread const spread =
      summarize_replicas(plan, Seconds{makespan(plan, first_seed)}, further, interval).makespan_s;
  auto const count = std::count_if(real.begin(), real.end(), [&](double r) {
    return spread.prediction_low <= r && r <= spread.prediction_high;
  });
  return {static_cast<int>(count), static_cast<int>(real.size())};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("variance components of equal groups are those of a nested analysis of variance") {
    // Two runs of two workers, all expected to last 10 s: mean squares between workers 0.005 and between
    // runs 0.01.
    std::vector<WorkerSample> const samples = {
        {0, 0, 10, 9, 0.1}, {0, 0, 10, 10, 0.1}, {0, 1, 10, 11, 0.1}, {0, 1, 10, 10, 0.1}};
    double const single = 0.1 / 100;                   // variance of a factor by single executions
    double const within = (2 * 2 * 0.05 * 0.05) / 2;   // mean square between workers
    double const between = 2 * (2 * 0.05 * 0.05) / 1;  // mean square between runs
    Variability const v = estimate_variability(samples);
    CHECK(relative_error(v.worker_deviation, std::sqrt(within - single)) < 1e-12);
    REQUIRE(v.run_deviation);
    CHECK(relative_error(*v.run_deviation, std::sqrt((between - within) / 2)) < 1e-12);
    CHECK(v.runs == 2);
    CHECK(v.degrees_of_freedom == 1);
  }

  TEST_CASE("one run tells no deviation of runs and single executions explain what they can") {
    Variability const v = estimate_variability({{0, 0, 10, 9, 100}, {0, 0, 10, 11, 100}});
    CHECK(v.worker_deviation == 0);
    CHECK(!v.run_deviation);
    CHECK(estimate_variability({}).runs == 1);
  }

  TEST_CASE("a calibrated kernel file is read back with its variability and findings") {
    TraceCalibration calibration = Machine8(5).calibrate(1, 2);
    testing::TemporaryFolder const folder;
    auto const file = folder.write("k.json", kernel_model_json(calibration.model));
    KernelModel const read = read_kernel_model(file);
    REQUIRE(read.variability);
    CHECK(read.variability->worker_deviation == calibration.model.variability->worker_deviation);
    CHECK(*read.variability->run_deviation == *calibration.model.variability->run_deviation);
    CHECK(read.variability->degrees_of_freedom == 4);
    CHECK(read.variability->runs == 2);
    CHECK(read.findings == calibration.model.findings);
    for (KernelTiming const& timing : read.timings) {
      REQUIRE(!timing.sample_seconds.empty());
      CHECK(relative_error(moments(timing.sample_seconds).mean, timing.mean.value) < 1e-9);
      CHECK(!timing.first_seconds.empty());
    }
  }

  TEST_CASE("a calibrated machine is simulated and audited and compared by the options of the commands") {
    Machine8 const machine(4);
    KernelModel const model = machine.calibrate(1, 3).model;
    machine.folder().write("kernels.json", kernel_model_json(model));
    std::string const scenario = testing::quoted(machine.folder() / "scenario.json");
    std::string const out = testing::quoted(machine.folder() / "run");
    json const result = testing::json_of(
        "run " + scenario + " --noise calibrated --replicas 4 --interval 0.9 --json --out " + out);
    CHECK(result["provenance"]["options"]["noise"] == json{{"distribution", "calibrated"}, {"scale", 1.0}});
    std::vector<std::string> findings;
    for (std::string const& finding : model.findings)
      findings.push_back(finding.starts_with(model.machine + ": ") ? finding
                                                                   : model.machine + ": " + finding);
    CHECK(result["findings"] == json(findings));
    CHECK(result["replicas"]["makespan_s"]["prediction_low"] < result["replicas"]["makespan_s"]["ci95_low"]);
    CHECK(testing::run_factosim("check " + out).code == 0);
    // Half the width for the difference of two runs: t(0.975) of 5 degrees of freedom is 2.5706.
    json const advice = testing::json_of("advise " + scenario + " --schedulers lws,eager --json");
    double const within = advice["indistinct"]["within"];
    CHECK(relative_error(within, 2.5706 * std::sqrt(2.0) * *model.variability->run_deviation) < 1e-4);
  }

  TEST_CASE("busy cores are counted at the start of a task as the simulator counts them") {
    Slowdown const curve = planted_slowdown();
    Trace const trace = Machine8(6, curve).exact_run();
    std::vector<int> const busy = busy_cores_at_start(trace, by_start(trace));
    // Of tasks that start at one date it is not known which was first: they are compared together.
    std::map<double, std::pair<double, double>> measured;  // sums of durations, and of those expected
    int fewest = 8, most = 1;
    for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
      if (trace.kernels[trace.kernel[t]].name != "gemm") continue;
      auto& [found, expected] = measured[trace.start_s[t]];
      found += trace.end_s[t] - trace.start_s[t];
      expected += gemm_s * curve.at(busy[t]);
      fewest = std::min(fewest, busy[t]);
      most = std::max(most, busy[t]);
    }
    CHECK(fewest == 1);
    CHECK(most == 8);
    for (auto const& [date, sums] : measured) {
      CAPTURE(date);
      CHECK(relative_error(sums.first, sums.second) < 1e-9);
    }
  }

  TEST_CASE("a slow-down is fitted beside factors of workers and runs and is 1 on average") {
    std::vector<Execution> const executions = doubling_executions();
    Slowdown const curve = fit_slowdown(executions, 0.05, 0.01);
    REQUIRE(curve.points.size() == 8);
    // The slope's error is 0.05 / sqrt(400 * 5.25): 0.0076 from one core to eight.
    CHECK(std::abs(std::log(curve.at(8) / curve.at(1)) - std::log(2)) < 3 * 0.0076);
    double sum = 0;
    for (Execution const& e : executions) sum += curve.at(e.busy_cores);
    CHECK(relative_error(sum / static_cast<double>(executions.size()), 1) < 1e-12);
    std::vector<Execution> falling = executions;
    for (Execution& e : falling) e.busy_cores = 9 - e.busy_cores;
    CHECK(fit_slowdown(falling, 0.05, 0.01).points.empty());
  }

  TEST_CASE("a slow-down reaches as far as ten executions tell and needs two numbers of busy cores") {
    std::vector<Execution> executions = doubling_executions();
    std::erase_if(executions, [seen = 0](Execution const& e) mutable {
      return e.busy_cores <= 3 && (e.busy_cores == 2 || ++seen > 9);
    });
    Slowdown const curve = fit_slowdown(executions, 0.05, 0.01);
    REQUIRE(!curve.points.empty());
    CHECK(curve.points.front().busy_cores == 4);
    CHECK(curve.points.back().busy_cores == 8);
    std::erase_if(executions, [](Execution const& e) { return e.busy_cores < 8; });
    CHECK(executions.size() == 48);
    CHECK(fit_slowdown(executions, 0.05, 0.01).points.empty());
  }

  TEST_CASE("two runs on one core and on two whose durations differ by 10 percent tell no slow-down") {
    // The expected deviation of runs, 5 %, explains a difference of 10 % between two runs.
    auto const runs = [](double factor) {
      std::vector<Execution> out;
      for (std::uint32_t i = 0; i < 100; ++i) {
        bool const alone = i % 2 == 0;
        double const noise = lognormal_factor(0.01, uniform(1, RandomStream::block, i));
        out.push_back({{alone ? 0U : 1U, WorkerId{0}}, noise * (alone ? 1 : factor), alone ? 1 : 2});
      }
      return out;
    };
    CHECK(fit_slowdown(runs(1.1), 0, 0.01).points.empty());
    CHECK(!fit_slowdown(runs(1.5), 0, 0.01).points.empty());
  }

  TEST_CASE("one trace is said to tell no deviation of runs") {
    TraceCalibration const calibration = Machine8(5).calibrate(1, 1);
    CHECK(relative_error(*calibration.model.variability->run_deviation, 0.05) < 1e-12);
    CHECK(says(calibration.findings, "how much one run differs from the next is not known"));
  }

  TEST_CASE("the prediction interval is Student's and includes the error of the calibration") {
    // t(0.95) of 4 and 2 degrees of freedom: 2.1318, 2.9200.
    Spread const five = spread_of({1, 2, 3, 4, 5}, 0.9);
    CHECK(five.prediction_high - five.mean == doctest::Approx(2.1318 * std::sqrt(2.5 * 1.2)).epsilon(1e-4));
    CHECK(five.mean - five.prediction_low == doctest::Approx(five.prediction_high - five.mean));
    Spread const calibrated =
        spread_of({1, 1, 1}, 0.9, {.relative = 0.1, .runs = 3, .degrees_of_freedom = 2});
    CHECK(calibrated.prediction_high - 1 ==
          doctest::Approx(2.92 * 0.1 * std::sqrt(1 + 1.0 / 3)).epsilon(1e-4));
    CHECK(difference_half_width(moments(five.values), moments(five.values), 0.9) ==
          doctest::Approx(1.8595 * std::sqrt(2 * 2.5 * 1.2)).epsilon(1e-4));  // t(0.95) of 8
  }
}

TEST_SUITE("property") {
  TEST_CASE("calibration recovers planted deviations and costs from the traces of twenty runs") {
    constexpr int runs = 20, workers = 8;
    TraceCalibration const calibration = Machine8(12).calibrate(100, runs);
    Variability const& v = *calibration.model.variability;
    // A deviation estimated with f degrees of freedom has a relative standard error of 1 / sqrt(2 f).
    auto const three_errors = [](double freedom) { return 3 / std::sqrt(2 * freedom); };
    CHECK(relative_error(v.worker_deviation, worker_deviation) < three_errors(runs * (workers - 1)));
    CHECK(relative_error(*v.run_deviation, run_deviation) < three_errors(runs - 1));
    CHECK(v.runs == runs);
    // Some of twenty runs that deviate by 8 % are further apart than 5 %.
    CHECK(says(calibration.findings, "double gemm in lu of tile 320 on cpu takes"));
    auto const gemm = std::find_if(calibration.model.timings.begin(), calibration.model.timings.end(),
                                   [](KernelTiming const& t) { return t.kernel == "gemm"; });
    REQUIRE(gemm != calibration.model.timings.end());
    CHECK(relative_error(gemm->deviation.value, task_deviation * gemm_s) < 0.05);
    double const of_mean = run_deviation / std::sqrt(runs);
    CHECK(relative_error(gemm->mean.value, gemm_s) < 3 * of_mean);
    REQUIRE(calibration.worker_costs);
    double const gemm_pause =
        calibration.worker_costs->progress.value + 3 * calibration.worker_costs->fetch.value;
    CHECK(relative_error(gemm_pause, 6e-6 + 3 * 8e-6) < 0.1);
  }

  TEST_CASE("calibration recovers planted slow-downs from one trace and from three") {
    constexpr int calibrations = 20;
    Slowdown const truth = planted_slowdown();
    Machine8 const machine(10, truth);
    for (std::vector<int> const& cores : {std::vector{8}, std::vector{8, 8, 2}}) {
      CAPTURE(cores.size());
      std::vector<double> errors;  // relative, of the logarithm of the factor from end to end
      for (std::uint64_t c = 0; c < calibrations; ++c) {
        TraceCalibration const calibration = machine.calibrate(1000 + 10 * c, cores);
        Slowdown const curve = timing_of(calibration, "gemm").slowdown;
        if (curve.points.empty()) continue;
        int const low = curve.points.front().busy_cores, high = curve.points.back().busy_cores;
        double const planted = std::log(truth.at(high) / truth.at(low));
        errors.push_back(std::log(curve.at(high) / curve.at(low)) / planted - 1);
      }
      Moments const m = moments(errors);
      CAPTURE_ALL(m.mean, m.deviation());
      CHECK(m.count == calibrations);
      CHECK(std::abs(m.mean) < 3 * m.deviation() / std::sqrt(static_cast<double>(m.count)));
    }
  }

  TEST_CASE("without planted slow-downs at most one of fifty calibrations finds one") {
    Machine8 const machine(10);
    int found = 0;
    for (std::uint64_t c = 0; c < 50; ++c) {
      TraceCalibration const calibration = machine.calibrate(2000 + 10 * c, {8, 8, 2});
      found += std::ranges::any_of(calibration.model.timings,
                                   [](KernelTiming const& t) { return !t.slowdown.points.empty(); });
    }
    CAPTURE(found);
    CHECK(found <= 1);
  }

  TEST_CASE("the 90 percent prediction interval with known noise holds 85 to 95 percent of 200 runs") {
    TaskPlan const plan = plan_tasks(Machine8(5).scenario());
    std::vector<double> real;
    for (std::uint64_t seed = 1000; seed < 1200; ++seed) real.push_back(makespan(plan, seed));
    auto const [within, of] = held(plan, 1, 100, 0.9, real);
    CAPTURE(within);
    CHECK(within >= 0.85 * of);
    CHECK(within <= 0.95 * of);
  }

  TEST_CASE(
      "the 90 percent prediction interval calibrated on three runs holds 85 to 95 percent of 240 runs") {
    Machine8 const machine(5);
    TaskPlan const truth = plan_tasks(machine.scenario());
    int within = 0, of = 0;
    for (std::uint64_t c = 0; c < 60; ++c) {
      PlacedScenario s = machine.scenario();
      s.models = {machine.calibrate(10'000 + 10 * c, 3).model};
      s.noise = {.distribution = NoiseDistribution::calibrated};
      std::vector<double> real;
      for (std::uint64_t i = 0; i < 4; ++i) real.push_back(makespan(truth, 50'000 + 10 * c + i));
      auto const [inside, all] = held(plan_tasks(std::move(s)), 90'000 + 100 * c, 20, 0.9, real);
      within += inside;
      of += all;
    }
    CAPTURE(within);
    CHECK(within >= 0.85 * of);
    CHECK(within <= 0.95 * of);
  }
}
