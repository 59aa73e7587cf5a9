// Conclusions of the IPDPS 2000 paper on heterogeneous grids, checked on simulations of its nine
// workstations.

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

std::string const equal_shares = R"({"type":"block-cyclic","p":3,"q":3})";
std::string const grid = R"({"type":"het-grid","p":3,"q":3,"method":"exact"})";
std::string const grid_by_heuristic = R"({"type":"het-grid","p":3,"q":3,"method":"heuristic"})";
std::string const columns = R"({"type":"kalinov-lastovetsky","p":3,"q":3})";
std::string const rectangles = R"({"type":"1d1d"})";

std::filesystem::path grid_scenario(std::string const& name) {
  return testing::repository() / "scenarios/het_grid" / (name + ".json");
}

nlohmann::json said_of_grids(std::string const& command, std::string const& name,
                             std::string const& options) {
  return testing::json_of(fmt::format("{} '{}' --json {}", command, grid_scenario(name).string(), options));
}

double makespan(std::string const& name, std::string const& distribution, std::string const& options = "") {
  return said_of_grids("run", name,
                       fmt::format("--set '/distribution={}' {}", distribution, options))["makespan_s"];
}

/// Runs `distribute` for a product with only those keys of a het-grid.
testing::ProgramRun without_platform(std::string const& keys) {
  testing::TemporaryFolder const folder;
  auto const file = folder.write(
      "s.json",
      R"({"format": "factosim-scenario", "version": 1, "application": {"type": "gemm", "nt": 10, "nb": 8},
      "distribution": {"type": "het-grid", )" +
          keys + "}}");
  return testing::run_factosim("distribute '" + file.string() + "' --json");
}

/// Pairs of nodes between which the simulation sends messages.
std::set<std::pair<std::uint32_t, std::uint32_t>> partners(PlacedScenario const& s) {
  TaskPlan const plan = plan_tasks(s);
  TraceRecords trace;
  (void)simulate_with_seed(plan, s.seed, &trace, {});
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (TransferRecord const& t : trace.transfers)
    pairs.emplace(plan.topology.node_of(t.from).value(), plan.topology.node_of(t.to).value());
  return pairs;
}

/// Number of messages between nodes that share neither a row nor a column of the grid; `place` [nodes].
int strangers(PlacedScenario const& s, std::vector<std::uint32_t> const& place) {
  int count = 0;
  for (auto const& [a, b] : partners(s))
    if (place[a] / 3 != place[b] / 3 && place[a] % 3 != place[b] % 3) ++count;
  return count;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE(
      "on a heterogeneous grid nodes communicate within their row and column and with Kalinov-Lastovetsky "
      "not") {
    for (std::string const name : {"product", "lu", "qr"}) {
      CAPTURE(name);
      PlacedScenario const on_grid = place(read_scenario(grid_scenario(name), {"/distribution=" + grid}));
      std::vector<std::uint32_t> place_of(9);
      for (std::uint32_t i = 0; i < 9; ++i) place_of[on_grid.distribution.grid->grid.nodes[i]] = i;
      CHECK(strangers(on_grid, place_of) == 0);
      CHECK(partners(on_grid).size() == 36);  // each node with two others of its row and two of its column
      PlacedScenario const by_columns =
          factosim::place(read_scenario(grid_scenario(name), {"/distribution=" + columns}));
      CHECK(strangers(by_columns, {0, 1, 2, 3, 4, 5, 6, 7, 8}) > 0);
    }
  }

  TEST_CASE("a heterogeneous grid beats equal shares by about the ratio of the objectives") {
    for (std::string const name : {"product", "lu", "qr"})
      for (int const sends : {0, 1}) {  // 0: switched network, 1: shared bus
        CAPTURE_ALL(name, sends);
        std::string const network = fmt::format("--set /network/max_sends={}", sends);
        double const ratio = makespan(name, equal_shares, network) / makespan(name, grid, network);
        // Equal shares: nine nodes at the rate of cycle-time 9, objective 1. Rounding to whole tiles and the
        // end of a factorization reduce the ratio 323/120.
        CHECK(ratio > 2.4);
        CHECK(ratio < 323.0 / 120 * 1.1);
      }
  }

  TEST_CASE("the product takes the time of the objective once there are enough tiles") {
    nlohmann::json const result = said_of_grids("run", "product", "--set /application/nt=60");
    double const by_objective = 60.0 * 60 * 60 * 0.05 / (323.0 / 120);
    CHECK(result["makespan_s"].get<double>() >= by_objective * (1 - 1e-9));
    CHECK(result["makespan_s"].get<double>() <= by_objective * 1.05);
    CHECK(makespan("product", grid_by_heuristic) > makespan("product", grid));
  }

  TEST_CASE("loads balance better without the grid and on a fast network that dominates") {
    for (std::string const name : {"product", "lu", "qr"}) {
      CAPTURE(name);
      CHECK(makespan(name, columns) < makespan(name, grid));
    }
  }

  TEST_CASE("QR sends twice as much without the grid and on 10 Mb/s Ethernet that dominates") {
    std::string const slow = "--set /network/nic/bandwidth_Bps=1250000";
    CHECK(said_of_grids("run", "qr", fmt::format("--set '/distribution={}'", columns))["tiles_sent"] >
          2 * said_of_grids("run", "qr", "")["tiles_sent"].get<int>());
    double const on_grid = makespan("qr", grid, slow);
    CHECK(on_grid < 0.6 * makespan("qr", columns, slow));
    CHECK(on_grid < 0.6 * makespan("qr", rectangles, slow));
    CHECK(on_grid < makespan("qr", equal_shares, slow));
  }

  TEST_CASE("a shared bus carries one message at a time and a switch does not") {
    std::string const slow = "--set /network/nic/bandwidth_Bps=1250000";
    nlohmann::json const bus = said_of_grids("run", "product", slow);
    double const alone = bus["bytes_sent"].get<double>() / 1.25e6;
    CHECK(bus["makespan_s"].get<double>() >= alone);
    nlohmann::json const switched = said_of_grids("run", "product", slow + " --set /network/max_sends=0");
    CHECK(switched["makespan_s"].get<double>() < alone);
    CHECK(switched["tiles_sent"] == bus["tiles_sent"]);
  }

  TEST_CASE("tile QR runs on the machines with measured QR kernels and reports missing timings") {
    for (auto const& [machine, nb] :
         {std::pair{"sirocco-k40m", 960}, {"sirocco-p100", 1240}, {"sirocco-v100", 1600}}) {
      CAPTURE(machine);
      std::string const options = fmt::format(
          R"(--set '/platform={{"file":"../../platforms/{0}.json","nodes":[{{"type":"{0}","count":2}}]}}' )"
          R"(--set /application/nt=10 --set /application/nb={1} --set '/distribution={{"type":"block-cyclic","p":2,"q":1}}')",
          machine, nb);
      nlohmann::json const flat = said_of_grids("run", "qr", options + " --set /application/tree=flat");
      CHECK(flat["tasks_by_kernel"]["tsmqr"] == 285);
      CHECK(flat["tiles_sent"] ==
            330);  // sum of (1 + M) M, M = 1 to 9: the tiles of a row move on at each elimination
      testing::ProgramRun const nodes =
          testing::run_factosim(fmt::format("run '{}' {}", grid_scenario("qr").string(), options));
      CHECK(nodes.code == 2);
      CHECK(testing::contains(nodes.err, "no double precision timing of tt"));
    }
  }

  TEST_CASE("distribute prints the arrangement and shares of the paper's example") {
    nlohmann::json const d = said_of_grids("distribute", "paper_3x3", "");
    CHECK(d["grid"]["arrangement"] == nlohmann::json::parse("[[1.0,2.0,3.0],[4.0,6.0,8.0],[5.0,7.0,9.0]]"));
    CHECK(d["grid"]["nodes"] == nlohmann::json::parse("[[0,1,2],[3,5,7],[4,6,8]]"));
    CHECK(d["grid"]["iterations"] == 3);
    CHECK(d["grid"]["objective"].get<double>() == doctest::Approx(2.5889).epsilon(2e-5));
    CHECK(d["grid"]["best_seen"].get<double>() == doctest::Approx(2.5944).epsilon(2e-5));
    CHECK(d["grid"]["history"].size() == 4);
  }

  TEST_CASE("distribute prints each step of the paper's heuristic on request") {
    nlohmann::json const d = said_of_grids("distribute", "paper_3x3", "--steps");
    nlohmann::json const& steps = d["grid"]["steps"];
    REQUIRE(steps.size() == 4);
    auto const four = [](nlohmann::json const& numbers) {
      std::string out;
      for (nlohmann::json const& n : numbers.flatten()) out += fmt::format("{:.4f} ", n.get<double>());
      return out;
    };
    // Section 4.4.2 and 4.4.3, as printed.
    CHECK(four(steps[0]["r"]) == "1.1661 0.3675 0.2100 ");
    CHECK(four(steps[0]["c"]) == "0.6803 0.4288 0.2859 ");
    CHECK(four(steps[0]["workload"]) == "0.7933 1.0000 1.0000 1.0000 0.7879 0.6303 1.0000 0.7203 0.5402 ");
    CHECK(four(steps[0]["optimal_times"]) ==
          "1.2606 2.0000 3.0000 4.0000 6.3464 9.5195 7.0000 11.1061 16.6592 ");
    CHECK(four({steps[0]["mean_workload"], steps[0]["objective"], steps[1]["objective"],
                steps[3]["objective"]}) == "0.8302 2.4322 2.5065 2.5889 ");
    CHECK(steps[1]["arrangement"] == nlohmann::json::parse("[[1.0,2.0,3.0],[4.0,5.0,7.0],[6.0,8.0,9.0]]"));
    CHECK(steps[3]["arrangement"] == d["grid"]["arrangement"]);
    std::string const file = "'" + grid_scenario("paper_3x3").string() + "'";
    testing::ProgramRun const text = testing::run_factosim("distribute " + file + " --steps");
    for (char const* const part : {"first arrangement: objective 2.4322, mean workload 0.8302",
                                   "step 3: objective 2.5889", "16.6592", "0.5402"})
      CHECK(testing::contains(text.out, part));
    CHECK_FALSE(said_of_grids("distribute", "paper_3x3", "")["grid"].contains("steps"));
    for (std::string const method : {"exact", "exchanges", "as-given"}) {
      testing::ProgramRun const run =
          testing::run_factosim("distribute " + file + " --steps --set /distribution/method=" + method);
      CHECK(run.code == 2);
      CHECK(run.out.empty());
      CHECK(testing::contains(run.err, "--steps#: the distribution has no steps ("));
    }
  }

  TEST_CASE("distribute draws cycle-times on request and needs no platform") {
    nlohmann::json const d =
        testing::json_of(without_platform(R"("p": 5, "q": 3, "cycle_times": {"random": 1})"));
    CHECK(d["grid"]["arrangement"].size() == 5);
    CHECK(d["tiles_per_node"].size() == 15);
    CHECK(d ==
          nlohmann::json::parse(without_platform(R"("p": 5, "q": 3, "cycle_times": {"random": 1})").out));
  }
}

TEST_SUITE("unit") {
  TEST_CASE("mistakes in a heterogeneous grid are reported with a remedy") {
    auto const message = [](std::string const& keys) {
      testing::ProgramRun const run = without_platform(keys);
      CHECK(run.code == 2);
      return run.err;
    };
    auto const has = [](std::string const& text, std::string const& part) {
      CAPTURE(text);
      CHECK(testing::contains(text, part));
    };
    has(message(R"("p": 3, "q": 3, "cycle_times": [1, 2, 3])"),
        "#/distribution: is a grid of 3 x 3 (there are 3 nodes)");
    has(message(R"("p": 2, "q": 2, "cycle_times": [1, 2, 0, 3])"), "#/distribution/cycle_times/2: ");
    has(message(R"("p": 8, "q": 3, "cycle_times": {"random": 1}, "method": "exact")"),
        "#/distribution/method: is exact on a grid of 8 x 3 (its time grows exponentially; 20 places are the "
        "most)");
    has(message(R"("p": 2, "q": 2, "cycle_times": [1, 2, 3, 4], "method": "best")"),
        "#/distribution/method: ");
    has(message(R"("p": 2, "q": 2)"), "the key \"speeds\" is missing");
  }

  TEST_CASE("a machine without timings of QR is reported") {
    testing::ProgramRun const run =
        testing::run_factosim("run '" + (testing::repository() / "scenarios/first/lu_mirage.json").string() +
                              "' --set /application/type=qr --set /application/variant=chameleon");
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "has no double precision timing of geqrt"));
  }
}
