// Which runs take their tasks from formulas, and what the others say.

#include "simulator/scenario/simulation/run.hpp"

#include "factosim/scenario_document.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

constexpr char const* by_formulas = "/application/task_graph=\"formulas\"";

/// Plans the shipped scenario, whose cluster has nodes with GPUs and others, with these settings.
SimulationPlan planned(std::vector<std::string> settings) {
  settings.emplace_back("/application/nt=4");
  return plan_simulation(read_scenario(testing::lille_scenario(), settings));
}

bool has_formulas(SimulationPlan const& plan) {
  return std::holds_alternative<FormulaTasks>(task_plan(plan).tasks);
}

/// Runs gemm of `nt` tiles on one core, without costs of the runtime system, and audits the run.
struct OneCore {
  double makespan, area_bound;
  int checked;
};

OneCore one_core(std::string const& cycle_time, int nt) {
  testing::TemporaryFolder const folder;
  folder.write("platform.json", fmt::format(R"({{"format": "factosim-platform", "version": 1, "node_types":
    {{"one": {{"cores": 1, "cycle_time_s": {}, "nic": {{"bandwidth_Bps": 1e9, "latency_s": 0}}}}}},
    "network": {{}}, "nodes": [{{"type": "one", "count": 1}}]}})",
                                            cycle_time));
  folder.write("s.json",
               fmt::format(R"({{"format": "factosim-scenario", "version": 1, "platform": "platform.json",
    "application": {{"type": "gemm", "nt": {}, "nb": 8}}, "network": {{"model": "maxmin"}}, "runtime":
    {{"submission_cost_s": 0, "push_cost_s": 0, "fetch_cost_s": 0, "progress_cost_s": 0, "wont_use_cost_s": 0}}}})",
                           nt));
  std::string const out = testing::quoted(folder / "out");
  auto const result = testing::json_of("run " + testing::quoted(folder / "s.json") + " --json --out " + out);
  return {result["makespan_s"], result["bounds"]["abe_s"], testing::run_factosim("check " + out).code};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a cluster with GPUs takes its tasks from formulas, by default those of large matrices only") {
    CHECK(has_formulas(planned({by_formulas})));
    CHECK(
        has_formulas(planned({by_formulas, "/application/type=\"cholesky\"", "/runtime/eviction=\"luf\""})));
    CHECK_FALSE(has_formulas(planned({})));
    CHECK_FALSE(has_formulas(planned({"/application/task_graph=\"stored\""})));
  }

  TEST_CASE("a large run by formulas leaves what the run of its stored graph leaves") {
    auto const settings = [](std::string const& form) {
      return std::vector<std::string>{"/application/type=cholesky", "/application/nt=67",
                                      "/network/model=maxmin", "/application/task_graph=" + form};
    };
    auto const result = [&](std::string const& form) {
      auto out = simulate(read_scenario_document(testing::lille_scenario(), settings(form)));
      out.erase("simulation");
      out.erase("provenance");
      return out.dump();
    };
    auto const of_run = [&](std::string const& form) {
      auto const plan = plan_simulation(read_scenario(testing::lille_scenario(), settings(form)));
      return task_plan(plan).stored().formulas;
    };
    CHECK(of_run("automatic") != nullptr);
    CHECK(of_run("stored") == nullptr);
    CHECK(result("automatic") == result("stored"));
  }

  TEST_CASE("runs that need all tasks beforehand say what needs them") {
    std::vector<std::pair<std::string, std::string>> const needs{
        {"/scheduler/type=\"heft\"", "the policy heft plans ahead"},
        {"/scheduler/type=\"darts\"", "the policy darts plans ahead"},
        {"/runtime/max_submitted_tasks=10", "submission is limited"},
        {"/runtime/unrolling=\"own\"", "nodes unroll parts of the task flow"},
        {"/outputs/series=true", "a series is recorded"},
        {"/runtime/out_of_core=true", "a node computes out of core"}};
    for (auto const& [setting, need] : needs) {
      CAPTURE(setting);
      std::string const message = testing::message_of([&] { (void)planned({by_formulas, setting}); });
      CHECK(message.starts_with(testing::lille_scenario().string() +
                                "#/application/task_graph: is \"formulas\""));
      CHECK(testing::contains(message, "the run needs the stored graph (" + need));
      CHECK_FALSE(has_formulas(planned({setting})));
    }
  }
}

TEST_SUITE("property") {
  TEST_CASE("a driver finishes all kernels that ended while it was busy with a pipeline of three") {
    // Two kernels can end before the driver looks; only the second one's end would signal it.
    for (int seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      auto const document = read_scenario_document(
          testing::repository() / "scenarios/peer/cholesky_mirage.json",
          {"/application/nt=17", "/scheduler/type=eager", "/runtime/gpu_pipeline=3",
           "/noise/distribution=normal", "/network/model=maxmin", "/seed=" + std::to_string(seed)});
      CHECK(simulate(document)["tasks"] == 969);
    }
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("one busy core ends exactly at its area bound whatever its kernels last") {
    for (std::string const cycle_time :
         {"0.0000123456784", "1.2e-7", "1e-10", "0.1", "4321.123456789", "3e7"}) {
      CAPTURE(cycle_time);
      OneCore const run = one_core(cycle_time, 20);
      CHECK(run.makespan == run.area_bound);
      CHECK(run.makespan == doctest::Approx(8000 * std::stod(cycle_time)).epsilon(1e-9));
      CHECK(run.checked == 0);
    }
  }
}
