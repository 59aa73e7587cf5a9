// Factorizations by groups of tasks: against simulations of every task, closed forms and counts, and what they refuse.

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "distributions/tiles_sent.hpp"
#include "simulator/runtime/steps/step_inputs.hpp"
#include "simulator/runtime/steps/step_run.hpp"
#include "simulator/scenario/simulation/estimate.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/data/test_files.hpp"

using namespace factosim;

namespace {

nlohmann::json scenario_of_steps(std::string const& type, int nt, int nodes,
                                 std::string const& policy = "prio") {
  return {{"platform",
           {{"file", (testing::repository() / "platforms/lille.json").string()},
            {"nodes", {{{"type", "chetemi"}, {"count", nodes}}}}}},
          {"application", {{"type", type}, {"nt", nt}, {"nb", 960}}},
          {"distribution", {{"type", "1d1d"}}},
          {"scheduler", {{"type", policy}}},
          {"network", {{"model", "maxmin"}}}};
}

PlacedScenario placed(nlohmann::json const& document) { return place(scenario_of(document, "steps.json")); }

Result estimate(nlohmann::json document, int resolution = 8) {
  document["detail"] = {{"type", "steps"}, {"resolution", resolution}};
  return estimate_run(EstimatePlan{placed(document)}, {});
}

double exact(nlohmann::json const& document) {
  return simulate_with_seed(plan_tasks(placed(document)), 0, nullptr, {}).makespan.value;
}

void without_costs(nlohmann::json& document) {
  document["runtime"] = {
      {"submission_cost_s", 0}, {"push_cost_s", 0}, {"fetch_cost_s", 0}, {"wont_use_cost_s", 0}};
}

StepOutcome outcome(nlohmann::json const& document, std::uint32_t resolution) {
  TaskPlan const plan = plan_work(placed(document));
  auto const& [definition, parameters] = std::get<TiledApplication>(plan.scenario.application);
  auto const formulas = definition->formulas(parameters, plan.scenario.distribution.map);
  return run_steps({.formulas = *formulas,
                    .map = plan.scenario.distribution.map,
                    .machine = plan.machine,
                    .topology = plan.topology,
                    .options = plan.scenario.runtime,
                    .tile = tile_bytes(parameters),
                    .wire = plan.scenario.platform.network.wire,
                    .resolution = resolution});
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("groups of later steps are parts of those of earlier ones") {
    constexpr std::uint32_t nt = 100;
    for (std::uint32_t const resolution : {1U, 2U, 3U, 8U}) {
      StepPartition const partition(nt, resolution);
      for (std::uint32_t k = 0; k < nt; ++k)
        for (std::uint32_t u = 2 * k; u + 1 < 2 * nt - 1; ++u) {
          CAPTURE(k);
          CAPTURE(u);
          auto const group = partition.group_of(u, k), next = partition.group_of(u + 1, k);
          CHECK(group < partition.count());
          CHECK(group <= next);
          if (u >= 2 * k + 2 && group != next)
            CHECK(partition.group_of(u, k + 1) != partition.group_of(u + 1, k + 1));
        }
    }
  }

  TEST_CASE("a wide group is no wider than its distance from the panel over the resolution") {
    StepPartition const partition(500, 4);
    CHECK(partition.is_narrow(140, 16, 30));
    CHECK_FALSE(partition.is_narrow(140, 32, 30));
    CHECK(partition.is_narrow(60, 1, 30));
  }

  TEST_CASE("one node with one worker takes the sum of its tasks' durations") {
    for (std::string const type : {"lu", "cholesky"})
      for (std::string const policy : {"prio", "dmdas"}) {
        nlohmann::json document = scenario_of_steps(type, 12, 1, policy);
        without_costs(document);
        document["runtime"]["reserved_cores"] = 19;
        Result const result = estimate(document);
        CHECK(result.makespan.value == doctest::Approx(result.bounds.abe.value).epsilon(1e-9));
      }
  }

  TEST_CASE("the smallest matrices are simulated") {
    for (std::string const type : {"lu", "cholesky"})
      for (int const nt : {1, 2, 3}) {
        nlohmann::json document = scenario_of_steps(type, nt, 2);
        without_costs(document);
        CHECK(estimate(document).makespan.value == doctest::Approx(exact(document)).epsilon(0.03));
      }
  }

  TEST_CASE("groups of every width send each tile to the nodes that read it") {
    for (int const nodes : {1, 5, 12}) {
      nlohmann::json const lu = scenario_of_steps("lu", 30, nodes),
                           cholesky = scenario_of_steps("cholesky", 30, nodes);
      for (std::uint32_t const resolution : {1U, 4U, 32U}) {
        CHECK(outcome(lu, resolution).tiles_sent == lu_tiles_sent(placed(lu).distribution.map));
        CHECK(outcome(cholesky, resolution).tiles_sent ==
              cholesky_tiles_sent(placed(cholesky).distribution.map));
      }
    }
  }

  TEST_CASE("an estimate by groups is the same each time and marked as one") {
    nlohmann::json const document = scenario_of_steps("lu", 40, 9, "dmdas");
    Result const a = estimate(document), b = estimate(document);
    CHECK(a.makespan.value == b.makespan.value);
    CHECK(a.estimate);
    REQUIRE(a.detail.has_value());
    CHECK(a.detail->type == "steps");
    CHECK(a.detail->error_relative > 0);
    CHECK(a.makespan >= a.bounds.distribution());
  }

  TEST_CASE("what groups of tasks lack is refused") {
    nlohmann::json document = scenario_of_steps("lu", 10, 4);
    document["noise"] = {{"distribution", "normal"}};
    CHECK_THROWS_AS(estimate(document), InputError);
    document = scenario_of_steps("lu", 10, 4, "heft");
    CHECK_THROWS_AS(estimate(document), InputError);
    document = scenario_of_steps("qr", 10, 4);
    CHECK_THROWS_AS(estimate(document), InputError);
  }
}

TEST_SUITE("property") {
  TEST_CASE("estimates by groups hold the makespan of every task within their error") {
    struct Case {
      char const *type, *policy, *network, *variant;
      int nt, nodes;
    };
    for (Case const& c :
         {Case{"lu", "prio", "constant", "chameleon", 60, 36}, Case{"lu", "prio", "maxmin", "starpu", 60, 16},
          Case{"lu", "dmdas", "maxmin", "chameleon", 70, 12}, Case{"lu", "dmda", "constant", "starpu", 60, 9},
          Case{"cholesky", "prio", "maxmin", "starpu", 70, 16},
          Case{"cholesky", "dmdas", "constant", "chameleon", 80, 10}}) {
      nlohmann::json document = scenario_of_steps(c.type, c.nt, c.nodes, c.policy);
      document["network"]["model"] = c.network;
      document["application"]["variant"] = c.variant;
      Result const result = estimate(document);
      double const truth = exact(document);
      CAPTURE(c.type);
      CAPTURE(c.policy);
      CAPTURE(result.makespan.value / truth - 1);
      CHECK(std::abs(result.makespan.value / truth - 1) <= result.detail->error_relative);
    }
  }

  TEST_CASE("narrow groups come nearer to every task than wide ones") {
    nlohmann::json const document = scenario_of_steps("cholesky", 60, 20);
    double const truth = exact(document);
    auto const error = [&](std::uint32_t resolution) {
      return std::abs(outcome(document, resolution).makespan.value / truth - 1);
    };
    CHECK(error(16) < error(1));
    CHECK(error(16) < 0.02);
  }
}
