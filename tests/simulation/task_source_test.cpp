// Which runs take their tasks from formulas, and what the others say.

#include "simulator/scenario/simulation/run.hpp"
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

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a cluster with GPUs takes its tasks from formulas, by default those of large matrices only") {
    CHECK(has_formulas(planned({by_formulas})));
    CHECK(
        has_formulas(planned({by_formulas, "/application/type=\"cholesky\"", "/runtime/eviction=\"luf\""})));
    CHECK_FALSE(has_formulas(planned({})));
    CHECK_FALSE(has_formulas(planned({"/application/task_graph=\"stored\""})));
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
