// The search for a distribution: never worse than its starting point, deterministic, within its budget.

#include "simulator/studies/search/distribution_search.hpp"

#include <chrono>

#include "distributions/map_neighbours.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::run_factosim;

namespace {

std::filesystem::path paper_file() {
  return testing::repository() / "scenarios/lille/block_cyclic_2x11.json";
}

std::string nodes_setting(int chetemi, int chifflet) {
  return R"(/platform/nodes=[{"type":"chetemi","count":)" + std::to_string(chetemi) +
         R"(},{"type":"chifflet","count":)" + std::to_string(chifflet) + "}]";
}

PlacedScenario paper_scenario(std::string const& nodes, int nt, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {nodes, "/application/nt=" + std::to_string(nt), "/network/model=maxmin",
                                   R"(/distribution={"type":"block-cyclic"})"});
  return place(read_scenario(paper_file(), settings));
}

Seconds makespan_of(PlacedScenario const& scenario) {
  return simulate_with_seed(plan_tasks(scenario), scenario.seed, nullptr, {}).makespan;
}

Seconds makespan_with(std::string const& type, std::string const& nodes, int nt,
                      std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {nodes, "/application/nt=" + std::to_string(nt), "/network/model=maxmin",
                                   R"(/distribution={"type":")" + type + R"("})"});
  return makespan_of(place(read_scenario(paper_file(), settings)));
}

/// A command line that searches on the paper's platform with a small matrix.
std::string search_command(std::string const& options) {
  return "distribute '" + paper_file().string() + "' --set '" + nodes_setting(3, 2) +
         "' --set /application/nt=8 --set '/distribution={\"type\":\"g-2dbc\"}' --json " + options;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("search is never worse than any static distribution") {
    for (auto const& [chetemi, chifflet] : {std::pair{1, 1}, {3, 2}, {2, 4}}) {
      CAPTURE_ALL(chetemi, chifflet);
      std::string const nodes = nodes_setting(chetemi, chifflet);
      FoundDistribution const found =
          search_distribution(paper_scenario(nodes, 8), {.limits = {.evaluations = 30}});
      Seconds best = found.start_makespan;
      for (char const* type : {"1d1d-c+s", "1d1d-c", "1d1d", "block-cyclic", "g-2dbc"}) {
        CAPTURE(type);
        Seconds const of_type = makespan_with(type, nodes, 8);
        CHECK(found.makespan <= of_type);
        CHECK(found.start_makespan <= of_type);
        best = std::min(best, of_type);
      }
      CHECK(found.start_makespan == best);
    }
  }

  TEST_CASE(
      "1Dx1D-L is never worse than the distributions that it simulates, and does not depend on seed and "
      "noise") {
    for (auto const& [chetemi, chifflet] : {std::pair{1, 1}, {3, 2}, {2, 4}}) {
      CAPTURE(chetemi);
      std::string const nodes = nodes_setting(chetemi, chifflet);
      Seconds const selected = makespan_with("1d1d-l", nodes, 9);
      for (char const* type : {"1d1d-c+s", "1d1d-c", "1d1d", "block-cyclic", "g-2dbc", "het-grid"}) {
        CAPTURE(type);
        CHECK(selected <= makespan_with(type, nodes, 9));
      }
      auto const owners = [&](std::vector<std::string> settings) {
        settings.insert(settings.end(), {nodes, "/application/nt=9", R"(/distribution={"type":"1d1d-l"})"});
        return place(read_scenario(paper_file(), settings)).distribution.map.owner;
      };
      CHECK(owners({"/network/model=maxmin"}) ==
            owners({"/network/model=simgrid", "/seed=5", R"(/noise={"distribution":"lognormal"})"}));
    }
  }

  TEST_CASE("search returns the simulated makespan of its map and a decreasing history") {
    PlacedScenario scenario = paper_scenario(nodes_setting(3, 2), 8);
    FoundDistribution const found = search_distribution(scenario, {.limits = {.evaluations = 60}});
    CHECK(found.evaluations == 60);
    REQUIRE_FALSE(found.history.empty());
    CHECK(found.history.front().first == 1);
    CHECK(found.history.back().second == found.makespan);
    for (std::size_t i = 1; i < found.history.size(); ++i) {
      CHECK(found.history[i - 1].first < found.history[i].first);
      CHECK(found.history[i].second < found.history[i - 1].second);
    }
    scenario.distribution.map = found.distribution.map;
    CHECK(makespan_of(scenario) == found.makespan);
  }

  TEST_CASE("search with one seed and a number of evaluations is deterministic") {
    auto const owners = [](char const* seed) {
      PlacedScenario const scenario = paper_scenario(nodes_setting(3, 2), 8, {seed});
      // From 1Dx1D-L, 60 evaluations find nothing better on so few nodes.
      return search_distribution(scenario, {.limits = {.evaluations = 60}, .starts = {"1d1d-c+s", "1d1d"}})
          .distribution.map.owner;
    };
    CHECK(owners("/seed=1") == owners("/seed=1"));
    CHECK(owners("/seed=1") != owners("/seed=2"));
  }

  TEST_CASE("search moves produce only existing nodes") {
    SearchRandom random(7);
    for (int nt : {1, 2, 5, 16}) {
      TileMap map{
          .mt = nt, .nt = nt, .owner = std::vector<NodeId>(static_cast<std::size_t>(nt * nt), NodeId{0})};
      for (int i = 0; i < 500; ++i) move_randomly(map, 3, random);
      for (NodeId const owner : map.owner) CHECK(owner.value() < 3);
    }
  }

  TEST_CASE("search family members use only the requested number of the fastest nodes") {
    PlacedScenario const scenario = paper_scenario(nodes_setting(3, 2), 20);
    FactorizationCosts const costs = costs_of(timed_application(scenario));
    SearchRandom random(7);
    FamilyMember member;
    for (int i = 0; i < 200; ++i) {
      member = random_neighbour(member, 5, random);
      std::set<NodeId> owners;
      for (NodeId const owner : family_map(20, Factorization::lu, costs, member).owner) owners.insert(owner);
      CHECK(owners.size() <= static_cast<std::size_t>(member.nodes == 0 ? 5 : member.nodes));
      CHECK(owners.rbegin()->value() < 5);
      if (member.nodes == 2) CHECK(owners.begin()->value() >= 3);  // the two Chifflet
    }
  }
}

TEST_SUITE("unit") {
  TEST_CASE("search on one node ends with the only possible map") {
    std::string const one_node = R"(/platform/nodes=[{"type":"chifflet","count":1}])";
    FoundDistribution const found =
        search_distribution(paper_scenario(one_node, 5), {.limits = {.time = Seconds{60}}});
    CHECK(found.evaluations == 1);
    CHECK(found.makespan == found.start_makespan);
    CHECK(found.start == "1d1d-c+s");
  }

  TEST_CASE("search starts from the scenario's own map when it is the best") {
    PlacedScenario scenario = paper_scenario(nodes_setting(3, 2), 8);
    std::vector<std::string> const starts{"1d1d-c+s", "1d1d", "block-cyclic"};
    FoundDistribution const first =
        search_distribution(scenario, {.limits = {.evaluations = 80}, .starts = starts});
    REQUIRE(first.makespan < first.start_makespan);
    scenario.distribution.map = first.distribution.map;
    FoundDistribution const second =
        search_distribution(scenario, {.limits = {.evaluations = 10}, .starts = starts});
    CHECK(second.start == "scenario");
    CHECK(second.start_makespan == first.makespan);
  }

  TEST_CASE("search starts from 1Dx1D-L, and only from what it is told to") {
    std::string const nodes = nodes_setting(14, 8);
    PlacedScenario const scenario = paper_scenario(nodes, 15);
    Seconds const listed = makespan_with("1d1d-l", nodes, 15);
    FoundDistribution const found = search_distribution(scenario, {.limits = {.evaluations = 15}});
    CHECK(found.start == "1d1d-l");
    CHECK(found.start_makespan == listed);
    CHECK(found.makespan <= listed);
    FoundDistribution const other =
        search_distribution(scenario, {.limits = {.evaluations = 4}, .starts = {"1d1d-c", "sbc"}});
    CHECK(other.start == "1d1d-c");
    CHECK(other.start_makespan == makespan_with("1d1d-c", nodes, 15));
    FoundDistribution const own = search_distribution(scenario, {.limits = {.evaluations = 1}, .starts = {}});
    CHECK(own.start == "scenario");
    CHECK(own.start_makespan == makespan_of(scenario));
  }

  TEST_CASE("search works for Cholesky and tries the symmetric distribution where it exists") {
    std::string const nodes = nodes_setting(3, 3);  // r (r - 1) / 2 with r = 4
    PlacedScenario const scenario = paper_scenario(nodes, 8, {"/application/type=cholesky"});
    FoundDistribution const found = search_distribution(
        scenario,
        {.limits = {.evaluations = 40}, .starts = {"1d1d-c+s", "1d1d-c", "1d1d", "block-cyclic", "sbc"}});
    CHECK(found.evaluations == 40);
    CHECK(found.makespan < found.start_makespan);
    CHECK(found.start_makespan <= makespan_with("sbc", nodes, 8, {"/application/type=cholesky"}));
  }

  TEST_CASE("search ends soon after its time limit") {
    auto const start = std::chrono::steady_clock::now();
    FoundDistribution const found =
        search_distribution(paper_scenario(nodes_setting(3, 2), 8), {.limits = {.time = Seconds{0.5}}});
    double const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(found.evaluations >= 5);
    CHECK(took >= 0.5);
    CHECK(took < 5);  // an evaluation takes milliseconds, and the machine may be busy
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("search on the paper's 14 + 8 nodes beats 1Dx1D-C+S with few evaluations") {
    std::string const nodes = nodes_setting(14, 8);
    FoundDistribution const found =
        search_distribution(paper_scenario(nodes, 25), {.limits = {.evaluations = 40}});
    CHECK(found.makespan < 0.95 * makespan_with("1d1d-c+s", nodes, 25));
  }

  TEST_CASE("search by the command is deterministic and its map is read by another scenario") {
    testing::TemporaryFolder const folder;
    std::string const options = "--improve 600 --evaluations 20";
    auto const first =
        run_factosim(search_command(options + " --chameleon '" + (folder / "map.txt").string() + "'"));
    REQUIRE_MESSAGE(first.code == 0, first.err);
    CHECK(first.err.empty());
    CHECK(run_factosim(search_command(options)).out == first.out);
    nlohmann::json const search = nlohmann::json::parse(first.out)["search"];
    CHECK(search["evaluations"] == 20);
    CHECK(search["start"]["makespan_s"] >= search["makespan_s"]);
    CHECK(search["history"].back()[1] == search["makespan_s"]);
    CHECK(testing::json_of("run '" + paper_file().string() + "' --json --set '" + nodes_setting(3, 2) +
                           "' --set /application/nt=8 --set /network/model=maxmin --set " +
                           "'/distribution={\"type\":\"file\",\"file\":\"" + (folder / "map.txt").string() +
                           "\"}'")["makespan_s"] == search["makespan_s"]);
  }

  TEST_CASE("search from a distribution that it cannot start from is a mistake in the command") {
    auto const run = run_factosim(search_command("--evaluations 9 --starts 1d1d,layers"));
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "layers"));
  }

  TEST_CASE("search without a platform is a mistake in the input") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write("s.json", R"({"format": "factosim-scenario", "version": 1,
      "application": {"type": "lu", "nt": 4, "nb": 960},
      "distribution": {"type": "1d1d", "speeds": [1, 2]}})");
    auto const run = run_factosim("distribute '" + file.string() + "' --improve 1");
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "platform"));
  }
}
