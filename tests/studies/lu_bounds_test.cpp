// Bounds on the nodes of the ICPADS 2020 study: efficiencies follow makespans, and no makespan that any distribution,
// policy or search finds is below a bound. tests/bench/efficiency.py prints the long form.

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

struct NodeSet {
  int chifflet, chetemi, nt;
};

/// Returns the output of a command on a set of nodes of the study.
nlohmann::json said_of(std::string const& command, NodeSet const& set, std::string const& options) {
  nlohmann::json nodes = nlohmann::json::array();
  if (set.chifflet > 0) nodes.push_back({{"type", "chifflet"}, {"count", set.chifflet}});
  if (set.chetemi > 0) nodes.push_back({{"type", "chetemi"}, {"count", set.chetemi}});
  return testing::json_of(
      fmt::format("{} {} --json --set '/platform/nodes={}' --set /application/nt={} {}", command,
                  testing::quoted(testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json"),
                  nodes.dump(), set.nt, options));
}

constexpr NodeSet sets[] = {{2, 3, 16}, {4, 0, 20}, {0, 7, 20}, {8, 1, 24}, {7, 14, 30}};

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("ICPADS20: efficiency falls in the order of makespans on each set of nodes") {
    for (NodeSet const& set : sets) {
      CAPTURE_ALL(set.chifflet, set.chetemi);
      std::vector<std::pair<double, double>> runs;  // makespan, efficiency
      for (char const* const distribution : {"block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"})
        for (char const* const policy : {"dmdas", "lws"}) {
          nlohmann::json const run =
              said_of("run", set,
                      fmt::format("--set '/distribution={{\"type\":\"{}\"}}' --set /scheduler/type={}",
                                  distribution, policy));
          double const makespan = run["makespan_s"], bound = run["bounds"]["problem_s"];
          CHECK(bound <= makespan);
          CHECK(run["bounds"]["distribution_s"] <= makespan);
          CHECK(run["bounds"]["distribution_s"] >= bound);
          runs.emplace_back(makespan, bound / makespan);
        }
      std::ranges::sort(runs);
      for (std::size_t i = 1; i < runs.size(); ++i)
        if (runs[i].first > runs[i - 1].first * (1 + 1e-9)) CHECK(runs[i].second < runs[i - 1].second);
    }
  }

  TEST_CASE("ICPADS20: no bound is above a makespan that the search finds") {
    for (NodeSet const& set : {NodeSet{2, 2, 12}, {3, 4, 16}}) {
      CAPTURE(set.nt);
      double const bound = said_of("bounds", set, "")["problem_s"];
      nlohmann::json const found = said_of("advise", set, "--exhaustive --schedulers dmdas,dmda,lws,prio");
      CHECK(bound <= found["best"]["makespan_s"]);
      // The bound of the whole set holds for each subset.
      for (nlohmann::json const& choice : found["pareto_front"]) CHECK(bound <= choice["makespan_s"]);
    }
  }

  TEST_CASE("ICPADS20: a diagnosis of imbalance names a distribution whose run is no shorter than it says") {
    for (NodeSet const& set : {NodeSet{2, 6, 40}, {4, 4, 40}}) {
      CAPTURE(set.nt);
      nlohmann::json const cyclic =
          said_of("run", set, "--set /distribution/type=block-cyclic --set /network/model=constant");
      CHECK(cyclic["diagnosis"]["limit"] == "balance-between-nodes");
      std::string const text = cyclic["diagnosis"]["text"], named = ". With 1d1d", at_least = " at least ";
      auto const at = text.find(named);
      REQUIRE(at != std::string::npos);
      std::string const type = text.substr(at + 7, text.find(' ', at + 7) - at - 7);
      double const bound = std::stod(text.substr(text.find(at_least, at) + at_least.size()));
      double const other = said_of(
          "run", set,
          fmt::format("--set /distribution/type={} --set /network/model=constant", type))["makespan_s"];
      CHECK(bound <= other * 1.001);  // four digits
      CHECK(bound >= cyclic["bounds"]["problem_s"].get<double>() * 0.999);
      CHECK(other < cyclic["makespan_s"]);
    }
  }

  TEST_CASE("ICPADS20: a bound stays as it is where drawn durations let a run end before") {
    NodeSet const set{1, 0, 30};
    double const bound = said_of("bounds", set, "")["problem_s"];
    int beaten = 0;
    for (int seed = 0; seed < 8; ++seed) {
      nlohmann::json const run = said_of(
          "run", set,
          fmt::format(
              R"(--set /seed={} --set '/noise={{"distribution":"normal","run_speed_deviation":0.4}}')",
              seed));
      CHECK(run["bounds"]["problem_s"] == bound);
      CHECK(run["bounds"].value("beaten", false) == (run["bounds"]["distribution_s"] > run["makespan_s"]));
      beaten += run["bounds"].contains("beaten") ? 1 : 0;
    }
    CHECK(beaten > 0);
    CHECK(beaten < 8);
  }
}
