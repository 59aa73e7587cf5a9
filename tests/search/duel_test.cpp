// Duels: the worst scenario of a family is found where it is known, is what runs say, and does not depend on the processes.

#include "simulator/studies/search/duel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::json_of;
using testing::message_of;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

/// LU on a node of mirage, of 2 to 9 tiles.
nlohmann::json small_family() {
  return {{"scenario",
           {{"platform", "mirage"},
            {"application", {{"type", "lu"}, {"nt", 4}, {"nb", 960}}},
            {"network", {{"model", "maxmin"}}}}},
          {"vary", {{"/application/nt", {{"from", 2}, {"to", 9}}}, {"/runtime/max_gpus", {1, 3}}}}};
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("a duel finds the worst scenario of a family that is small enough to try all") {
    TemporaryFolder const folder;
    ScenarioFamily const family = read_family(folder.write("f.json", small_family().dump()));
    Contestant const a = contestant("eager"), b = contestant("dmdas");
    double worst = 0;
    for (int nt = 2; nt <= 9; ++nt)
      for (int const gpus : {1, 3}) {
        nlohmann::json scenario = family.scenario;
        scenario["application"]["nt"] = nt;
        scenario["runtime"]["max_gpus"] = gpus;
        auto const makespan = [&](Contestant const& c) {
          return simulate_with_seed(plan_tasks(place(scenario_of(with(scenario, c), "s.json"))), 0, nullptr,
                                    {})
              .makespan;
        };
        worst = std::max(worst, makespan(a) / makespan(b));
      }
    DuelResult const found = duel(a, b, family, {.pairs = 60, .restarts = 4, .jobs = 2});
    CHECK(found.a / found.b == worst);
    CHECK(*std::ranges::max_element(found.ratios) == worst);
    CHECK(found.pairs <= 60);
  }

  TEST_CASE("the number of processes does not change a duel") {
    DuelBudget budget{.pairs = 24, .restarts = 3, .seed = 5, .jobs = 1};
    auto const run = [&] { return duel(contestant("heft"), contestant("ws"), shipped_family(), budget); };
    DuelResult const one = run();
    budget.jobs = 3;
    DuelResult const three = run();
    CHECK(one.scenario == three.scenario);
    CHECK(one.ratios == three.ratios);
  }

  TEST_CASE("all values of a span can be reached and none is outside") {
    nlohmann::json json = small_family();
    json["vary"] = {{"/application/nt", {{"from", 2}, {"to", 9}, {"scale", "log"}}},
                    {"/network/nic/bandwidth_Bps", {{"from", 1e8}, {"to", 1e10}, {"scale", "log"}}}};
    TemporaryFolder const folder;
    ScenarioFamily const family = read_family(folder.write("f.json", json.dump()));
    std::set<int> sizes;
    for (int i = 0; i < 1000; ++i) {
      double const share = i / 1000.0;
      auto const scenario = family.at({share, share});
      sizes.insert(scenario["application"]["nt"].get<int>());
      CHECK(scenario["network"]["nic"]["bandwidth_Bps"] >= 1e8);
      CHECK(scenario["network"]["nic"]["bandwidth_Bps"] <= 1e10);
    }
    CHECK(sizes == std::set{2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("factosim duel writes the worst scenario for both and runs of them have the ratio") {
    TemporaryFolder const folder;
    std::string const family = quoted(folder.write("in/f.json", small_family().dump()));
    std::string const out = quoted(folder / "worst");
    auto const found =
        json_of("duel ws dmdas --runs 20 --restarts 2 --json --family " + family + " --out " + out);
    double const a = json_of("run --json " + quoted(folder / "worst/ws.json"))["makespan_s"];
    double const b = json_of("run --json " + quoted(folder / "worst/dmdas.json"))["makespan_s"];
    CHECK(found["ratio"] == a / b);
    CHECK(found["comparison"].is_object());
    CHECK(run_factosim("duel ws dmdas --runs 20 --family " + family + " --out " + out).code ==
          2);  // nothing is replaced
    CHECK(run_factosim("validate " + family).code == 0);
  }

  TEST_CASE("a static schedule takes part in a duel where it fits the tasks") {
    TemporaryFolder const folder;
    nlohmann::json family = small_family();
    std::string const scenario = quoted(folder.write("s.json", family["scenario"].dump()));
    REQUIRE(run_factosim("schedule " + scenario + " --runs 20 --out " + quoted(folder / "found")).code == 0);
    // The schedule is of 4 x 4 tiles: other sizes cannot be run.
    family["vary"] = {{"/application/nt", {{"from", 3}, {"to", 4}}}};
    nlohmann::json const schedule = {{"type", "static"}, {"file", (folder / "found/schedule.json").string()}};
    nlohmann::json const found = json_of("duel '" + schedule.dump() + "' eager --runs 20 --json --family " +
                                         quoted(folder.write("f.json", family.dump())));
    CHECK(found["values"]["/application/nt"] == 4);
    CHECK(found["search"]["infeasible"] > 0);
    nlohmann::json const alone =
        json_of("run " + scenario + " --json --set '/scheduler=" + schedule.dump() + "'");
    CHECK(found["a_makespan_s"] == alone["makespan_s"]);
  }

  TEST_CASE("duels refuse what cannot be compared") {
    TemporaryFolder const folder;
    auto const message = [&](std::string const& arguments, int code) {
      auto const run = run_factosim("duel " + arguments);
      CHECK(run.code == code);
      return run.err;
    };
    CHECK(message("none.so 1d1d", 2).find("none.so#: is no file") != std::string::npos);
    CHECK(message("dmdas 1d1d", 2).find("another sort") != std::string::npos);
    CHECK(message("dmdas dmdsa", 2).find("is no policy and no distribution") != std::string::npos);
    CHECK(message("'{\"type\": 3}' dmdas", 2).find("no JSON object with a \"type\"") != std::string::npos);
    auto const with_family = [&](nlohmann::json const& change, int code) {
      nlohmann::json json = small_family();
      json.merge_patch(change);
      return message("ws dmdas --runs 4 --family " + quoted(folder.write("f.json", json.dump())), code);
    };
    CHECK(with_family({{"vary", {{"/application/nt", {{"to", 1}}}}}}, 2).find("/vary/~1application~1nt/to") !=
          std::string::npos);
    CHECK(with_family({{"vary", {{"sizes", {1}}}}}, 2).find("no object of keys") != std::string::npos);
    CHECK(with_family({{"vary", {{"sizes", {{"from", 1}, {"to", 2}}}}}}, 2)
              .find("only a JSON pointer may have a span") != std::string::npos);
    CHECK(with_family({{"vary", {{"/application/nb", {77}}}}}, 4).find("tiles of 77 cannot run") !=
          std::string::npos);
  }
}
