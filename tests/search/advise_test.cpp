// Advice compared with the exhaustive search.

#include "simulator/studies/search/advise_search.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

nlohmann::json advised(std::string const& options) {
  return testing::json_of(fmt::format(
      "advise '{}' --json {}",
      (testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string(), options));
}

std::string inventory(int chifflet, int chetemi, int nt) {
  return fmt::format(
      R"(--set '/platform/nodes=[{{"type":"chifflet","count":{}}},{{"type":"chetemi","count":{}}}]' --set /application/nt={})",
      chifflet, chetemi, nt);
}

/// Candidates on a line with known objectives.
struct Line {
  std::vector<AdviceCandidate> candidates;
  std::vector<double> truth;
  std::size_t simulated = 0;
  explicit Line(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> noise(1, 1.3), where(0.2, 0.9);
    double const best = where(random);
    for (int i = 0; i <= 200; ++i) {
      double const x = i / 200.0;
      truth.push_back((10 + 40 * (x - best) * (x - best)) * noise(random));
      candidates.push_back({{x}, 0, i % 2 == 0 ? "even" : "odd", 0.6 * truth.back() / 1.3});
    }
  }
  AdviceSearchResult search(std::size_t runs) {
    AdviceOracle oracle;
    oracle.count = [&](std::size_t i) {
      return AdviceCounts{{10 + 20 * std::abs(candidates[i].place[0] - 0.5), 1}};
    };
    oracle.objective = [](std::size_t, double makespan) { return makespan; };
    oracle.simulate = [&](std::vector<std::size_t> const& list) {
      std::vector<AdviceOutcome> out;
      for (std::size_t const i : list) out.push_back({truth[i], truth[i], true});
      simulated += list.size();
      return out;
    };
    oracle.budget = [&] { return runs - std::min(runs, simulated); };
    return search_advice(candidates, oracle);
  }
};

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("a search with a sufficient budget finds the optimum and reports that it is proven") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      Line line(seed);
      AdviceSearchResult const found = line.search(1000);
      CHECK(found.best_objective == *std::min_element(line.truth.begin(), line.truth.end()));
      CHECK(found.open == 0);
      CHECK(found.pruned + found.simulated.size() == line.candidates.size());
      CHECK(found.simulated.size() == line.simulated);
    }
  }

  TEST_CASE("a search simulates nothing twice and is deterministic") {
    Line a(3), b(3);
    AdviceSearchResult const first = a.search(40), second = b.search(40);
    std::vector<std::size_t> order, again;
    for (auto const& [i, outcome] : first.simulated) order.push_back(i);
    for (auto const& [i, outcome] : second.simulated) again.push_back(i);
    CHECK(order == again);
    std::sort(order.begin(), order.end());
    CHECK(std::adjacent_find(order.begin(), order.end()) == order.end());
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("advice on a small inventory is the best of all choices") {
    for (int const nt : {8, 12, 16}) {
      CAPTURE(nt);
      nlohmann::json const all = advised(inventory(3, 4, nt) + " --exhaustive");
      nlohmann::json const advice = advised(inventory(3, 4, nt));
      CHECK(advice["best"]["makespan_s"] == all["best"]["makespan_s"]);
      CHECK(advice["search"]["simulated"] <= all["search"]["simulated"]);
      CHECK(advice["search"]["open"] == 0);
      CHECK(advice["search"]["certainty"].get<std::string>().starts_with("proven best"));
    }
  }

  TEST_CASE("the advised scenario has the advised properties") {
    testing::TemporaryFolder const folder;
    nlohmann::json const advice = advised(inventory(2, 2, 12) + " --runs 10");
    nlohmann::json scenario = advice["scenario"];
    scenario["platform"]["file"] = (testing::repository() / "platforms/lille.json").string();
    CHECK(testing::json_of("run '" + folder.write("advised.json", scenario.dump()).string() +
                           "' --json")["makespan_s"] == advice["best"]["makespan_s"]);
  }

  TEST_CASE("the best choice is tried with other policies, within the budget and unless policies are given") {
    testing::TemporaryFolder const folder;
    nlohmann::json advice = advised(inventory(2, 2, 12));
    CHECK(advice["other_policies"].size() >= 3);
    advice["scenario"]["platform"]["file"] = (testing::repository() / "platforms/lille.json").string();
    for (nlohmann::json const& other : advice["other_policies"]) {
      CHECK(other["scheduler"] != advice["best"]["scheduler"]);
      advice["scenario"]["scheduler"]["type"] = other["scheduler"];
      CHECK(testing::json_of("run '" + folder.write("other.json", advice["scenario"].dump()).string() +
                             "' --json")["makespan_s"] == other["makespan_s"]);
    }
    CHECK_FALSE(advised(inventory(2, 2, 12) + " --schedulers dmda").contains("other_policies"));
    CHECK_FALSE(advised(inventory(2, 2, 12) + " --runs 3").contains("other_policies"));
  }

  TEST_CASE("under a deadline the choice with the fewest node-hours is advised and none is infeasible") {
    nlohmann::json const all =
        advised(inventory(3, 4, 16) + " --exhaustive --objective node-hours --deadline 3");
    nlohmann::json const advice = advised(inventory(3, 4, 16) + " --objective node-hours --deadline 3");
    CHECK(advice["best"]["node_hours"] == all["best"]["node_hours"]);
    CHECK(advice["best"]["makespan_s"].get<double>() <= 3);
    testing::ProgramRun const none = testing::run_factosim(
        fmt::format("advise '{}' {} --deadline 0.001",
                    (testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string(),
                    inventory(1, 1, 16)));
    CHECK(none.code == 4);
  }

  TEST_CASE("the Pareto front is sorted by time with descending costs") {
    nlohmann::json const front = advised(inventory(3, 4, 16) + " --exhaustive")["pareto_front"];
    REQUIRE(front.size() >= 2);
    for (std::size_t i = 1; i < front.size(); ++i) {
      CHECK(front[i]["makespan_s"] > front[i - 1]["makespan_s"]);
      CHECK(front[i]["node_hours"] < front[i - 1]["node_hours"]);
    }
  }

  TEST_CASE("energy needs powers and tile sizes need timings") {
    testing::ProgramRun const energy = testing::run_factosim(
        fmt::format("advise '{}' {} --objective energy",
                    (testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string(),
                    inventory(1, 1, 8)));
    CHECK(energy.code == 2);
    CHECK(testing::contains(energy.err, "\"power\""));
    nlohmann::json const sizes =
        advised(inventory(1, 1, 16) + " --tile-sizes 480,960 --schedulers dmdas,lws --runs 500");
    CHECK(sizes["search"]["open"] == 0);
  }
}
