#pragma once

// An LU factorization with planted kernels and noise, simulated as if it were a real run.

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/calibration/trace_calibration.hpp"
#include "tests/cli/program.hpp"

namespace factosim::testing {

inline constexpr double task_deviation = 0.1, worker_deviation = 0.06, run_deviation = 0.08;
inline constexpr double gemm_s = 1e-3;

/// An LU factorization on one node of 8 cores, with noise on the three levels.
class Machine8 {
 public:
  /// `slowdown`: of gemm and trsm_ll.
  explicit Machine8(int nt, Slowdown const& slowdown = {}) {
    auto const slowed = [&](nlohmann::json entries) {
      for (auto const& [cores, factor] : slowdown.points)
        entries[0]["slowdown"][std::to_string(cores)] = factor;
      return entries;
    };
    auto const timing = [](double mean) {
      return nlohmann::json::array({{{"precision", "double"},
                                     {"worker", "cpu"},
                                     {"nb", 320},
                                     {"mean_s", mean},
                                     {"deviation_s", task_deviation * mean},
                                     {"samples", 100}}});
    };
    folder_.write("kernels.json", nlohmann::json{{"format", "factosim-kernels"},
                                                 {"version", 1},
                                                 {"machine", "true"},
                                                 {"provenance", "planted"},
                                                 {"estimate", false},
                                                 {"kernels",
                                                  {{"getrf", timing(2 * gemm_s)},
                                                   {"trsm_ll", slowed(timing(1.5 * gemm_s))},
                                                   {"trsm_ru", timing(1.2 * gemm_s)},
                                                   {"gemm", slowed(timing(gemm_s))}}}}
                                      .dump());
    folder_.write(
        "platform.json",
        nlohmann::json{{"format", "factosim-platform"},
                       {"version", 1},
                       {"node_types",
                        {{"true",
                          {{"cores", 8},
                           {"ram_bytes", 1LL << 36},
                           {"kernels", "kernels.json"},
                           {"nic", {{"bandwidth_Bps", 1e9}, {"latency_s", 1e-6}}}}}}},
                       {"network", nlohmann::json::object()},
                       {"runtime", {{"push_cost_s", 0}, {"fetch_cost_s", 8e-6}, {"progress_cost_s", 6e-6}}}}
            .dump());
    file_ = folder_.write("scenario.json",
                          nlohmann::json{{"format", "factosim-scenario"},
                                         {"version", 1},
                                         {"platform", "platform.json"},
                                         {"application", {{"type", "lu"}, {"nt", nt}, {"nb", 320}}},
                                         {"scheduler", {{"type", "lws"}}},
                                         {"network", {{"model", "maxmin"}}},
                                         {"noise",
                                          {{"distribution", "lognormal"},
                                           {"worker_speed_deviation", worker_deviation},
                                           {"run_speed_deviation", run_deviation}}}}
                              .dump());
  }

  [[nodiscard]] PlacedScenario scenario() const { return place(read_scenario(file_, {})); }

  /// Returns a run on that many cores as the trace of StarPU's LU in double precision.
  [[nodiscard]] Trace run(std::uint64_t seed, int cores = 8) const {
    PlacedScenario s = scenario();
    s.platform.types[0].cores = cores;
    s.seed = seed;
    return run(std::move(s));
  }

  /// Returns a run without noise, likewise.
  [[nodiscard]] Trace exact_run() const {
    PlacedScenario s = scenario();
    s.noise = {};
    return run(std::move(s));
  }

  [[nodiscard]] TemporaryFolder const& folder() const { return folder_; }

  [[nodiscard]] TraceCalibration calibrate(std::uint64_t first_seed, std::size_t runs) const {
    return calibrate(first_seed, std::vector<int>(runs, 8));
  }

  /// `cores`: of each run.
  [[nodiscard]] TraceCalibration calibrate(std::uint64_t first_seed, std::vector<int> const& cores) const {
    std::vector<Trace> traces;
    for (int const c : cores) traces.push_back(run(first_seed + traces.size(), c));
    return calibrate_from(traces, {.machine = "true", .provenance = "simulated"});
  }

 private:
  [[nodiscard]] static Trace run(PlacedScenario s) {
    std::uint64_t const seed = s.seed;
    TaskPlan const plan = plan_tasks(std::move(s));
    TraceRecords records;
    simulate(plan, &records);
    Trace trace = run_trace(plan, records);
    trace.source = "run " + std::to_string(seed);
    for (Kernel const& kernel : trace.kernels) trace.models.push_back("starpu_dlu_lu_model_" + kernel.name);
    return trace;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_;
};

/// Returns whether a finding has that text.
[[nodiscard]] inline bool says(std::vector<Finding> const& findings, std::string const& text) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](Finding const& f) { return testing::contains(f.message, text); });
}

/// Returns the relative error of a value.
[[nodiscard]] inline double relative_error(double value, double expected) {
  return std::abs(value / expected - 1);
}

}  // namespace factosim::testing
