// Scenarios of HPL: their mistakes, their result, and what a user sees.

#include <doctest/doctest.h>

#include <string>

#include "models/hpl_costs.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

std::string const dahu = testing::quoted(testing::repository() / "scenarios/hpl/dahu.json");
constexpr char const* small = " --set /application/n=20000";

/// Returns the message of a run with that setting, from the pointer on; it must be refused as bad input.
std::string message_of(std::string const& setting) {
  testing::ProgramRun const run = testing::run_factosim("run " + dahu + " --set '" + setting + "'");
  CAPTURE(run.err);
  CHECK(run.code == 2);
  auto const at = run.err.find('#');
  return run.err.substr(at + 1, run.err.find_last_not_of('\n') - at);
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("mistakes in a scenario of HPL are named with a remedy") {
    CHECK(message_of("/application/p=33") ==
          "/application/p: makes 1056 processes with q (32 nodes with 32 each have 1024). Use a smaller "
          "grid, more "
          "nodes, or more \"processes_per_node\"");
    CHECK(message_of("/application/n=100") ==
          "/application/nb: is 128, and n is 100 (a panel is part of the matrix). Give a smaller one");
    CHECK(message_of("/application/swap_threshold=3")
              .starts_with("/application/swap_threshold: has no effect"));
    CHECK(message_of("/application/costs=../../models/hpl/theta.json")
              .starts_with("/application/costs: has nothing about \"dahu\""));
    CHECK(message_of("/noise=calibrated").starts_with("/noise: is \"calibrated\""));
    CHECK(message_of("/network={\"wire\": \"fifo\"}").starts_with("/network/wire: has no effect on HPL"));
    auto const in_network = [](std::string const& key) {
      return message_of(R"(/platform={"file": "dahu.platform.json", "network": {)" + key + "}}");
    };
    CHECK(
        in_network(
            R"("fat_tree": {"nodes_per_leaf": 4, "uplinks": 1, "uplink": {"bandwidth_Bps": 1e9, "latency_s": 0}})")
            .starts_with("/platform: has a fat tree or dragonfly (steps share the cards of nodes only)"));
    CHECK(in_network(R"("efficiency": {"half_bandwidth_bytes": 1})")
              .starts_with("/platform: has several network cards per node, or an \"efficiency\""));
    CHECK(message_of("/outputs={\"paje\": true}").starts_with("/outputs: asks for a trace"));
    CHECK(message_of("/scheduler={}").starts_with("/scheduler: unknown key"));
  }

  TEST_CASE("mistakes in costs of HPL are named") {
    testing::TemporaryFolder const folder;
    auto const message = [&](std::string const& machine) {
      auto const file = folder.write(
          "costs.json", R"({"estimate": true, "provenance": "", "machines": {"dahu": )" + machine + "}}");
      return message_of("/application/costs=" + file.string());
    };
    CHECK(message("{}").starts_with("/machines/dahu"));
    CHECK(message(R"({"dgemm": {"mnk_s": -1}})").starts_with("/machines/dahu/dgemm/mnk_s"));
    CHECK(
        message(
            R"({"dgemm": {"mnk_s": 1e-11}, "dtrsm": {"mmn_s": 1e-11}, "panel": {"flops_per_s": 1e9}, "memory_Bps": 1e9})")
            .starts_with("/application/costs: has no \"local\" for \"dahu\""));
  }

  TEST_CASE("a run of HPL in steps and in messages gives the same result format and nearly the same time") {
    std::string const few = "run " + dahu +
                            " --json --set /application/n=6000 --set /application/p=4 --set /application/q=8 "
                            "--set /network/model=maxmin";
    nlohmann::json const steps = testing::json_of(few);
    nlohmann::json const messages = testing::json_of(few + " --set /application/detail=messages");
    for (nlohmann::json const& result : {steps, messages}) {
      CHECK(result["estimate"] == true);
      CHECK(result["nodes"].size() == 32);
      CHECK(result["nodes"][0]["processes"] == 32);
      CHECK(result["nodes"][1]["processes"] == 0);
      CHECK(result["gflops"].get<double>() ==
            doctest::Approx((2.0 / 3 * 6e3 + 1.5) * 36e6 / result["makespan_s"].get<double>() / 1e9));
    }
    CHECK(steps["makespan_s"].get<double>() ==
          doctest::Approx(messages["makespan_s"].get<double>()).epsilon(0.05));
    CHECK(steps["hpl"]["detail"] == "steps");
    CHECK(messages["tasks"].get<double>() > 10000);
  }

  TEST_CASE("the same scenario of HPL gives the same bytes and the noise depends on the seed") {
    auto const result = [](std::string const& options) {
      nlohmann::json json = testing::json_of("run " + dahu + small + " --json " + options);
      json.erase("simulation");
      return json.dump();
    };
    CHECK(result("") == result(""));
    CHECK(testing::json_of("run " + dahu + small + " --json --set /seed=1")["makespan_s"] !=
          testing::json_of("run " + dahu + small + " --json --set /seed=2")["makespan_s"]);
  }
}
