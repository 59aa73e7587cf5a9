// Conclusions of the slides about rings on similar machines; mistakes; output files.

#include "distributions/ring/ring.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

std::string ring_scenario(std::string const& name) {
  return "'" + (testing::repository() / "scenarios/ring" / (name + ".json")).string() + "'";
}

nlohmann::json said(std::string const& name, std::string const& options) {
  return testing::json_of("run " + ring_scenario(name) + " --json " + options);
}

/// T_step of both heuristics of the slides for `tenths` / 10 Mbit per Mflop.
std::pair<double, double> both(std::string const& name, int tenths) {
  nlohmann::json const m = said(
      name, fmt::format("--set /network/model=maxmin --set /application/method=shared-ring --set "
                        "/application/message_bytes={} --set "
                        "'/application/compare=[{{\"method\":\"slice-ring\",\"refinement\":\"max-min\"}}]'",
                        1'250'000 * tenths))["metrics"];
  CHECK(m["step_simulated_s"].get<double>() ==
        doctest::Approx(m["step_computed_s"].get<double>()).epsilon(1e-6));
  return {m["step_slice-ring_max-min_s"], m["step_computed_s"]};
}

std::string mistake(std::string const& name, std::string const& options) {
  testing::TemporaryFolder const folder;
  testing::ProgramRun const run = testing::run_factosim(
      fmt::format("run {} --out '{}' {}", ring_scenario(name), (folder / "out").string(), options));
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
  return run.err;
}

bool has(std::string const& text, std::string const& part) { return testing::contains(text, part); }

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("the slides' shared-ring results are one over the sum of speeds and a constant times H over W") {
    // Speeds of the two tables of "cycle-times"; results for H/W = 0.1, 1, 10.
    struct Machine {
      double speeds, kappa;
      std::array<double, 3> printed;
    };
    for (Machine const& m : {Machine{10 * .0206 + 2 * .0291 + .0087 + .0451, .0759, {3.15, 3.22, 3.9}},
                             Machine{3 * .0087 + 3 * .0072 + 2 * .0131 + .016 + 2 * .0058 + .0262 + .0102,
                                     .303,
                                     {7.26, 7.53, 10.26}}}) {
      // A ring of equal processors with that total speed, each with kappa of messages.
      ProcessorGraph graph;
      Ring ring{.order = {0, 1}, .paths = {}, .alpha = {}, .step_s = 0};
      for (std::uint32_t v : {0U, 1U}) {
        graph.vertices.push_back({"P", m.speeds / 2});
        for (int side : {0, 1}) {
          (void)side;
          ring.paths.push_back({.from = v, .to = 1 - v, .links = {}, .bandwidth = 2 / m.kappa});
        }
      }
      for (std::size_t i = 0; i < 3; ++i) {
        share_work({graph, 1, std::array{0.1, 1.0, 10.0}[i]}, ring);
        CHECK(ring.step_s ==
              doctest::Approx(m.printed[i]).epsilon(0.004).scale(0));  // speeds have 2 to 3 digits
      }
    }
  }
}

TEST_SUITE("scenario") {
  TEST_CASE(
      "the slides' table: link sharing has no effect at first and an effect of tens of percent at the end") {
    for (std::string const machine : {"lyon", "strasbourg"}) {
      CAPTURE(machine);
      std::array<double, 3> gain{};
      for (std::size_t i = 0; i < 3; ++i) {
        auto const [slice, shared] = both(machine, std::array{1, 10, 100}[i]);
        gain[i] = 1 - shared / slice;
      }
      CHECK(gain[0] >= 0);
      CHECK(gain[0] < 0.01);
      CHECK(gain[1] > gain[0]);
      CHECK(gain[1] < 0.22);
      CHECK(gain[2] > 0.2);
      CHECK(gain[2] > gain[1]);
    }
  }

  TEST_CASE("a given ring keeps its order and paths and loses to the optimum") {
    nlohmann::json const result = said("toy_given", "--set /network/model=maxmin");
    nlohmann::json const& ring = result["ring"];
    CHECK(ring["method"] == "given");
    CHECK(ring["order"] == nlohmann::json::parse(R"(["P1", "P2", "P3", "P4", "P5"])"));
    std::vector<std::string> paths;
    for (nlohmann::json const& path : ring["paths"]) {
      std::string links;
      for (nlohmann::json const& link : path["links"]) links += link.get<std::string>();
      paths.push_back(links);
    }
    // S_1, P_1, S_2, ... of the slides
    CHECK(paths == std::vector<std::string>{"ab", "h", "cd", "bgh", "de", "def", "fbg", "ed", "h", "gbf"});
    CHECK(result["metrics"]["step_simulated_s"].get<double>() ==
          doctest::Approx(result["metrics"]["step_computed_s"].get<double>()).epsilon(1e-6));
    CHECK(result["metrics"]["step_given_max-min_s"] >= result["metrics"]["step_computed_s"]);
    CHECK(result["metrics"]["step_exact_quadratic_s"] <= result["metrics"]["step_computed_s"]);
    CHECK(result["provenance"]["options"]["application"]["paths"].size() == 10);
  }

  TEST_CASE("a given ring without paths takes widest ones and directions of full-duplex links by one name") {
    nlohmann::json const widest =
        said("toy", R"(--set /network/model=maxmin --set '/application/order=["P1","P2","P3"]')");
    CHECK(widest["ring"]["order"].size() == 3);
    CHECK(widest["ring"]["paths"].size() == 6);
    nlohmann::json const duplex = said(
        "lyon",
        R"(--set /network/model=maxmin --set '/application/order=["P2","P5"]' --set '/application/compare=[]' )"
        R"(--set '/application/paths=[{"from":"P2","to":"P5","links":["P2","P5"]},{"from":"P5","to":"P2","links":["P5","P2"]}]')");
    CHECK(duplex["ring"]["paths"][0]["links"] == nlohmann::json::parse(R"(["P2", "P5:back"])"));
  }

  TEST_CASE("processors are excluded if that is faster") {
    nlohmann::json const all = said("toy", "--set /network/model=maxmin");
    CHECK(all["ring"]["order"].size() == 7);
    nlohmann::json const few =
        said("toy", "--set /network/model=maxmin --set /application/message_bytes=500000000");
    CHECK(few["ring"]["order"].size() < 7);
    int idle = 0;
    for (auto const& node : few["nodes"]) idle += node["in_ring"].get<bool>() ? 0 : 1;
    CHECK(idle + few["ring"]["order"].size() == 7);
  }

  TEST_CASE("a run of a ring writes its result and a readable trace and is deterministic") {
    testing::TemporaryFolder const folder;
    auto const run = [&](char const* name) {
      testing::ProgramRun const r =
          testing::run_factosim(fmt::format("run {} --json --out '{}' --set /outputs/chrome=true",
                                            ring_scenario("toy"), (folder / name).string()));
      CAPTURE(r.err);
      REQUIRE(r.code == 0);
      nlohmann::json result = nlohmann::json::parse(r.out);
      result.erase("simulation");
      return result;
    };
    nlohmann::json const first = run("a"), second = run("b");
    CHECK(first == second);
    CHECK(testing::text_of(folder / "a/run.trace") == testing::text_of(folder / "b/run.trace"));
    CHECK(first["tasks"] == 70);
    double busy = 0;
    for (auto const& node : first["nodes"]) busy += node["busy_s"].get<double>();
    CHECK(busy > 0);
    testing::ProgramRun const exported =
        testing::run_factosim(fmt::format("export '{}' --format paje -o '{}'",
                                          (folder / "a/run.trace").string(), (folder / "a.paje").string()));
    CAPTURE(exported.err);
    CHECK(exported.code == 0);
  }

  TEST_CASE("a sweep over random graphs has a column for each heuristic") {
    testing::TemporaryFolder const folder;
    testing::ProgramRun const run = testing::run_factosim(
        fmt::format("sweep '{}' --out '{}' --set /application/method=shared-ring --set "
                    "'/application/compare=[{}]' --filter "
                    "'[\"==\", \"/application/message_bytes\", 12500000]' --filter '[\"==\", "
                    "\"/platform/random/processors\", 6]'",
                    (testing::repository() / "scenarios/ring/random.sweep.json").string(),
                    (folder / "out").string(), R"({"method":"slice-ring","refinement":"max-min"})"));
    CAPTURE(run.err);
    CHECK(run.code == 0);
    std::string const csv = testing::text_of(folder / "out/sweep.csv");
    CHECK(has(csv.substr(0, csv.find('\n')), "step_slice-ring_max-min_s"));
  }
}

TEST_SUITE("unit") {
  TEST_CASE("mistakes in a ring are reported with a remedy and leave no files") {
    CHECK(has(mistake("toy", "--set /application/work=0"),
              "#/application/work: is 0 (it must be above zero). "));
    CHECK(has(mistake("toy", "--set /application/message_bytes=-1"), "#/application/message_bytes: is -1 ("));
    CHECK(has(mistake("toy", "--set /application/method=best"), "#/application/method: "));
    CHECK(has(mistake("toy", "--set /application/tiles=3"), "#/application/tiles: "));
    CHECK(has(mistake("toy", "--set /network/nic=3"), "#/network/nic: "));
    CHECK(has(mistake("toy", "--set /scheduler/type=eager"), "#/scheduler: "));
    CHECK(has(
        mistake("lyon", "--set /application/method=exact"),
        "#/application/method: is exact on 14 processors (its time grows exponentially; 7 are the most). Use "
        "\"search\""));
    CHECK(has(mistake("toy", "--set '/platform={\"random\":{\"processors\":0}}'"),
              "#/platform/random/processors: "));
    CHECK(
        has(mistake("toy", "--set /platform=../../platforms/mirage.json"), "the key \"graph\" is missing ("));
    auto const given = [](std::string const& keys) {
      return mistake("toy", "--set '/application/order=[\"P1\",\"P2\",\"P3\"]' " + keys);
    };
    CHECK(has(mistake("toy", "--set /application/method=given"),
              "#/application/method: is \"given\" (the application"));
    CHECK(has(mistake("toy", "--set '/application/order=[\"P1\",\"P9\"]'"),
              "#/application/order/1: no processor is called \"P9\" ("));
    CHECK(has(mistake("toy", "--set '/application/order=[\"P1\",\"P2\",\"P1\"]'"),
              "#/application/order/2: is \"P1\" again ("));
    CHECK(has(mistake("toy", "--set '/application/paths=[]'"),
              "#/application/paths: are given without a ring ("));
    CHECK(has(given("--set /application/method=search"), "#/application/order: has no effect ("));
    auto const path = [&](std::string const& json) {
      return given("--set '/application/paths=[" + json + "]'");
    };
    CHECK(has(path(R"({"from":"P1","to":"P2","links":["a"]})"),
              "#/application/paths/0/links: end at \"Q\" (the message goes to \"P2\"). "));
    CHECK(has(path(R"({"from":"P1","to":"P2","links":["b","a"]})"),
              "#/application/paths/0/links/0: link \"b\" does not lead on from \"P1\" ("));
    CHECK(has(path(R"({"from":"P1","to":"P2","links":["z"]})"),
              "#/application/paths/0/links/0: no link is called \"z\" ("));
    CHECK(has(path(R"({"from":"P1","to":"P2","links":["a","a","h"]})"),
              "#/application/paths/0/links/1: is on the path already ("));
    CHECK(has(path(R"({"from":"P1","to":"P4","links":["h"]})"),
              "#/application/paths/0: is no message from \"P1\" to \"P4\" without a path ("));
    CHECK(has(path(R"({"from":"P1","to":"P2","links":["a","b"]},{"from":"P1","to":"P2","links":["a","b"]})"),
              "#/application/paths/1: is no message from \"P1\" to \"P2\" without a path ("));
    testing::ProgramRun const bounds = testing::run_factosim("bounds " + ring_scenario("toy"));
    CHECK(bounds.code == 2);
    CHECK(has(bounds.err, "#/application/type: is \"ring\" (this command works on a graph of tasks). "));
  }
}
