// The search over layers of nodes: all choices are valid, the best of them is found where all can be tried, what does not fit
// is left out, and what is printed gives the promised makespan.

#include "simulator/studies/search/distribution_search.hpp"

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::run_factosim;

namespace {

std::filesystem::path layers_file() { return testing::repository() / "scenarios/layers/lu.json"; }

PlacedScenario layered_scenario(int chifflet, int chetemi, int nt, std::string const& distribution) {
  std::string const nodes =
      R"(/platform/nodes=[{"type":"chifflet","count":)" + std::to_string(chifflet) +
      (chetemi == 0 ? "}]" : R"(},{"type":"chetemi","count":)" + std::to_string(chetemi) + "}]");
  return place(read_scenario(
      layers_file(), {nodes, "/application/nt=" + std::to_string(nt), "distribution=" + distribution}));
}

std::string const two_layers = R"({"type":"layers","layers":2,"layer":{"type":"1d1d"}})";

Seconds simulated(PlacedScenario const& scenario) {
  return simulate_with_seed(plan_tasks(scenario), scenario.seed, nullptr, {}).makespan;
}

Seconds simulated(PlacedScenario scenario, LayerChoice const& choice) {
  scenario.distribution = distribution_of(choice.json(default_addition_Bps), scenario);
  return simulated(scenario);
}

/// All choices of one or two layers of both nodes or of one.
std::vector<LayerChoice> choices_of_two_nodes() {
  std::vector<LayerChoice> out;
  for (std::size_t map = 0; map < layer_maps.size(); ++map)
    for (std::vector<std::uint32_t> const& nodes :
         {std::vector<std::uint32_t>{0}, std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{0, 1}})
      out.push_back({.nodes = {nodes}, .maps = {map}});
  for (std::uint32_t const first : {0U, 1U})
    for (int const consecutive : {1, 2, 3, 4, 6, 8, 12})
      for (int panels = -1; panels < 2; ++panels) {
        LayerChoice choice{.nodes = {{first}, {1 - first}}, .maps = {0, 0}, .consecutive = consecutive};
        if (panels >= 0) choice.panels = static_cast<std::uint32_t>(panels);
        out.push_back(choice);  // a layer of one node has one map
      }
  return out;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("choices of layers have each node once at most and no empty layer") {
    for (std::vector<double> const& times :
         {std::vector<double>{1}, {1, 2}, {1, 1, 3, 3, 3}, {9, 2, 9, 2, 5, 5, 5, 1, 9, 9, 9, 9}}) {
      auto const check = [&](LayerChoice const& choice) {
        std::set<std::uint32_t> known;
        REQUIRE(choice.maps.size() == choice.nodes.size());
        for (auto const& layer : choice.nodes) {
          REQUIRE_FALSE(layer.empty());
          REQUIRE(std::ranges::is_sorted(layer));
          for (std::uint32_t const node : layer) REQUIRE(known.insert(node).second);
        }
        REQUIRE(*known.rbegin() < times.size());
        REQUIRE(choice.consecutive >= 1);
        if (choice.panels) REQUIRE(*choice.panels < choice.nodes.size());
      };
      SearchRandom random(3);
      for (LayerChoice choice : first_layer_choices(times)) {
        check(choice);
        for (int i = 0; i < 300; ++i) check(choice = random_neighbour(choice, times, random));
      }
    }
  }

  TEST_CASE("the first choices take the fastest nodes") {
    std::vector<double> const times{10, 2, 10, 2, 5, 5};
    auto const all = first_layer_choices(times);
    auto const has = [&](std::vector<std::vector<std::uint32_t>> const& nodes) {
      return std::ranges::any_of(all, [&](LayerChoice const& c) { return c.nodes == nodes; });
    };
    CHECK(has({{1, 3}}));                // the fastest kind
    CHECK(has({{1, 4}, {3, 5}}));        // the two fastest kinds, dealt to two layers
    CHECK(has({{0, 1, 4}, {2, 3, 5}}));  // all
    CHECK(has({{0, 1}, {3, 2}}) == false);
  }

  TEST_CASE("the search finds the best of all choices of layers on two nodes") {
    for (int const nt : {4, 7}) {
      CAPTURE(nt);
      PlacedScenario const scenario = layered_scenario(1, 1, nt, two_layers);
      Seconds best = simulated(scenario);
      for (LayerChoice const& choice : choices_of_two_nodes())
        best = std::min(best, simulated(scenario, choice));
      FoundDistribution const found = search_distribution(scenario, {.limits = {.evaluations = 2000}});
      CHECK(found.makespan == best);
    }
  }

  TEST_CASE("the search of layers is deterministic and its makespan that of its map") {
    PlacedScenario scenario = layered_scenario(4, 3, 10, two_layers);
    FoundDistribution const found = search_distribution(scenario, {.limits = {.evaluations = 60}});
    CHECK(found.evaluations == 60);
    CHECK(found.start == "layers");
    CHECK(found.start_makespan < simulated(scenario));
    CHECK(found.history.back().second == found.makespan);
    for (LayerChoice const& choice : first_layer_choices(std::vector<double>{1, 1, 1, 1, 2, 2, 2}))
      CHECK(found.start_makespan <= simulated(scenario, choice));
    CHECK(search_distribution(scenario, {.limits = {.evaluations = 60}}).json == found.json);
    scenario.distribution = found.distribution;
    CHECK(simulated(scenario) == found.makespan);
  }
}

TEST_SUITE("unit") {
  TEST_CASE("a search leaves out maps that do not fit into the memory of a node") {
    for (auto const& [distribution, tiles] :
         {std::pair(std::string(R"({"type":"block-cyclic"})"), 60),
          std::pair(std::string(R"({"type":"layers","layers":2,"layer":{"type":"block-cyclic"}})"), 90)}) {
      CAPTURE(distribution);
      PlacedScenario scenario = layered_scenario(4, 4, 16, distribution);
      auto const found_fits = [&, tiles = tiles](bool limited) {
        PlacedScenario searched = scenario, small = scenario;
        for (NodeType& type : small.platform.types) type.ram = Bytes{std::int64_t{tiles} * 960 * 960 * 8};
        if (limited) searched = small;
        small.distribution = search_distribution(searched, {.limits = {.evaluations = 60}}).distribution;
        try {
          (void)plan_tasks(small);
          return true;
        } catch (InfeasibleError const&) {
          return false;
        }
      };
      CHECK_FALSE(found_fits(false));
      CHECK(found_fits(true));
    }
  }

  TEST_CASE("a search says that no map fits into the memory of the nodes") {
    PlacedScenario scenario = layered_scenario(2, 0, 16, R"({"type":"block-cyclic"})");
    for (NodeType& type : scenario.platform.types)  // half of the tiles, and none that it receives
      type.ram = Bytes{std::int64_t{128} * 960 * 960 * 8};
    CHECK_THROWS_WITH_AS((void)search_distribution(scenario, {.limits = {.evaluations = 10}}),
                         doctest::Contains("and has a RAM of"), InfeasibleError);
  }

  TEST_CASE("a search of layers that are the best keeps the scenario's own") {
    PlacedScenario const scenario = layered_scenario(1, 0, 4, R"({"type":"layers","layers":1})");
    FoundDistribution const found = search_distribution(scenario, {.limits = {.time = Seconds{60}}});
    CHECK(found.start == "scenario");
    CHECK(found.makespan == found.start_makespan);
    CHECK(found.evaluations == 1);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("the layers that distribute finds give the promised makespan in a scenario") {
    std::string const file = testing::quoted(layers_file());
    std::string const network = " --set 'network={\"model\":\"maxmin\"}'";
    nlohmann::json const told = testing::json_of("distribute " + file + network + " --json --evaluations 40");
    nlohmann::json const search = told["search"];
    CHECK(search["start"]["type"] == "layers");
    CHECK(search["makespan_s"] < 0.8 * search["history"][0][1].get<double>());  // of the scenario's own
    CHECK(testing::json_of("run " + file + network +
                           " --json --set 'distribution=" + search["distribution"].dump() + "'")["makespan_s"]
              .dump() == search["makespan_s"].dump());
    auto const text = run_factosim("distribute " + file + network + " --evaluations 40");
    CHECK(testing::contains(text.out, "\"distribution\": {\"type\":\"layers\",\"layers\":2,"));
  }

  TEST_CASE("the assumed speed of additions is kept with the layers that were found") {
    nlohmann::json const told = testing::json_of(
        "distribute " + testing::quoted(layers_file()) +
        " --set /application/nt=10 --json --evaluations 12 --set distribution/addition_Bps=4e9");
    CHECK(told["search"]["distribution"]["addition_Bps"] == 4e9);
  }

  TEST_CASE("starts of one layer are refused for a scenario with layers") {
    auto const run =
        run_factosim("distribute " + testing::quoted(layers_file()) + " --evaluations 5 --starts 1d1d");
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "--starts#: names distributions of one layer"));
  }

  TEST_CASE("advise chooses between one layer and several, and says so") {
    nlohmann::json const told = testing::json_of(
        "advise " + testing::quoted(layers_file()) +
        R"( --set 'network={"model":"maxmin"}' --set '/platform/nodes=[{"type":"chifflet","count":8}]')" +
        " --distributions 1d1d-c,layers --runs 30 --json");
    CHECK(told["best"]["distribution"]["type"] == "layers");
    CHECK(told["best"]["distribution"]["layers"] == 2);
    auto const text = run_factosim(
        "advise " + testing::quoted(layers_file()) +
        R"( --set 'network={"model":"maxmin"}' --set '/platform/nodes=[{"type":"chifflet","count":8}]')" +
        " --distributions 1d1d-c,layers --runs 30");
    CHECK(testing::contains(text.out, "8 chifflet, 2 layers of 1d1d-c, dmdas"));
  }
}
