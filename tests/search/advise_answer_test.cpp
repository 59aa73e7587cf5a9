// The answer of advise: files to keep, replicas, what was left out, and all applications.

#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Advice on nodes of the LU study.
std::string study(int chifflet, int chetemi, int nt, std::string const& options) {
  return fmt::format(
      R"(advise {} --set '/platform/nodes=[{{"type":"chifflet","count":{}}},{{"type":"chetemi","count":{}}}]' --set /application/nt={} {})",
      testing::quoted(testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json"), chifflet,
      chetemi, nt, options);
}

std::string const powers =
    R"(--set '/platform/power={"chifflet":{"core_W":5,"gpu_W":200,"idle_W":120},"chetemi":{"core_W":6,"idle_W":90}}' )";

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the best choice is kept as a scenario that gives the promised makespan anywhere") {
    TemporaryFolder const folder;
    auto const out = folder / "deep er/best.json";
    ProgramRun const run = run_factosim(study(2, 2, 10, "--out " + testing::quoted(out)));
    REQUIRE(run.code == 0);
    // The last line is a command for a shell, also where the name has a blank.
    std::string const command = "\nfactosim ";
    auto const at = run.out.rfind(command);
    REQUIRE(at != std::string::npos);
    std::string kept_run = run.out.substr(at + command.size());
    REQUIRE(kept_run.ends_with("\n"));
    kept_run.back() = ' ';
    nlohmann::json const told =
        testing::json_of(study(2, 2, 10, "--json --force --out " + testing::quoted(out)));
    nlohmann::json const kept = nlohmann::json::parse(testing::text_of(out));
    CHECK(testing::json_of(kept_run + "--json")["makespan_s"].dump() == told["best"]["makespan_s"].dump());
    CHECK(kept["distribution"] == told["best"]["distribution"]);
    ProgramRun const again = run_factosim(study(2, 2, 10, "--out " + testing::quoted(out)));
    CHECK(again.code == 2);
    CHECK(nlohmann::json::parse(testing::text_of(out)) == kept);
  }

  TEST_CASE("the front is written as CSV and JSON and as a picture with the same numbers") {
    TemporaryFolder const folder;
    std::string const files =
        fmt::format("{0}/front.csv,{0}/front.json,{0}/front.svg", folder.path().string());
    nlohmann::json const told = testing::json_of(study(3, 4, 16, "--json --exhaustive --front " + files));
    nlohmann::json const& front = told["pareto_front"];
    REQUIRE(front.size() >= 2);
    CHECK(nlohmann::json::parse(testing::text_of(folder / "front.json")) == front);
    std::istringstream csv(testing::text_of(folder / "front.csv"));
    std::string line;
    std::getline(csv, line);
    CHECK(line ==
          "nodes_chifflet,nodes_chetemi,distribution,p,q,scheduler,nt,nb,makespan_s,gflops,node_hours,energy_"
          "J,words");
    for (nlohmann::json const& choice : front) {
      REQUIRE(std::getline(csv, line));
      CHECK(testing::contains(line, fmt::format(",{},{},{},", choice["makespan_s"].dump(),
                                                choice["gflops"].dump(), choice["node_hours"].dump())));
      CHECK(line.ends_with("\"" + choice["words"].get<std::string>() + "\""));
    }
    CHECK_FALSE(std::getline(csv, line));
    std::string const picture = testing::text_of(folder / "front.svg");
    for (nlohmann::json const& choice : front)
      CHECK(testing::contains(picture, choice["words"].get<std::string>()));
    CHECK(testing::contains(picture, "Node-hours"));
    ProgramRun const wrong = run_factosim(study(1, 1, 8, "--front front.xyz"));
    CHECK(wrong.code == 2);
    CHECK(run_factosim(study(3, 4, 16, "--front " + files)).code == 2);
  }

  TEST_CASE("with replicas a choice is best alone only where the intervals of all differences say so") {
    std::string const several =
        "--runs 40 --replicas 5 --distributions block-cyclic,1d1d,1d1d-c,1d1d-c+s";  // 1d1d-l wins alone
    nlohmann::json const told = testing::json_of(study(4, 4, 12, "--json " + several));
    nlohmann::json const& robust = told["robust"];
    CHECK(robust["replicas"] == 5);
    nlohmann::json const& choices = robust["choices"];
    REQUIRE(choices.size() >= 2);
    CHECK(choices[0]["words"] == told["best"]["words"]);
    CHECK(told["search"]["objective"] == told["best"]["makespan_s"]);
    bool alone = robust["not_repeated"] == 0;
    for (std::size_t i = 1; i < choices.size(); ++i) {
      CHECK(choices[i]["mean_makespan_s"] >= choices[i - 1]["mean_makespan_s"]);
      CHECK(
          choices[i]["difference"].get<double>() ==
          doctest::Approx(
              choices[i]["mean_makespan_s"].get<double>() / choices[0]["mean_makespan_s"].get<double>() - 1));
      CHECK(choices[i]["tied"] == (choices[i]["difference"] <= choices[i]["half_width"]));
      alone = alone && !choices[i]["tied"].get<bool>();
    }
    CHECK(robust["best_alone"] == alone);
    // The mean of the best one by runs with the keys.
    TemporaryFolder const folder;
    nlohmann::json scenario = told["scenario"];
    scenario["platform"]["file"] = (testing::repository() / "platforms/lille.json").string();
    nlohmann::json const repeated = testing::json_of(
        "run " + testing::quoted(folder.write("best.json", scenario.dump())) +
        " --json --replicas 5 --set /noise/duration_precision=1e-6 --set /noise/overhead_precision=0.05");
    CHECK(repeated["replicas"]["makespan_s"]["mean"].get<double>() ==
          doctest::Approx(choices[0]["mean_makespan_s"].get<double>()).epsilon(1e-12));
    CHECK(repeated["replicas"]["makespan_s"]["prediction_high"].get<double>() ==
          doctest::Approx(choices[0]["prediction_high_s"].get<double>()).epsilon(1e-12));
    ProgramRun const text = run_factosim(study(4, 4, 12, several));
    CHECK(testing::contains(text.out, "replicas      mean "));
    CHECK((!testing::contains(text.out, "cannot be told apart from it")) ==
          (std::ranges::none_of(choices, [](nlohmann::json const& c) { return c["tied"].get<bool>(); })));
  }

  TEST_CASE("a deadline that no bound allows is refused with the bound") {
    ProgramRun const run = run_factosim(study(2, 2, 16, "--deadline 0.01"));
    CHECK(run.code == 4);
    auto const at = run.err.find("(bound ");
    REQUIRE(at != std::string::npos);
    CHECK(testing::contains(run.err, " s > 0.01 s"));
    double const bound = std::stod(run.err.substr(at + 7));
    double const best = testing::json_of(study(2, 2, 16, "--json"))["best"]["makespan_s"];
    CHECK(bound > 0.01);
    CHECK(bound <= best * 1.001);
    // Between the bound and the best one: simulated, and none is fast enough.
    ProgramRun const near = run_factosim(study(2, 2, 16, fmt::format("--deadline {}", best * 0.9999)));
    CHECK(near.code == 4);
    CHECK(testing::contains(near.err, fmt::format("the fastest takes {:.4g} s", best)));
    std::string const named = "; the bound of all choices is ";
    auto const all = near.err.find(named);
    REQUIRE(all != std::string::npos);
    CHECK(std::stod(near.err.substr(all + named.size())) == doctest::Approx(bound).epsilon(1e-3));
  }

  TEST_CASE("what is left out is named with its reason") {
    nlohmann::json const sizes = testing::json_of(study(1, 2, 8, "--json --tile-sizes 800,960"));
    auto const reason_of = [](nlohmann::json const& told, std::string const& option) {
      for (nlohmann::json const& left : told.value("left_out", nlohmann::json::array()))
        if (left["option"] == option) return left["reason"].get<std::string>();
      return std::string();
    };
    CHECK(sizes["best"]["nb"].is_number());
    ProgramRun const maps = run_factosim(study(1, 1, 8, "--distributions file"));
    CHECK(maps.code == 4);
    CHECK(testing::contains(maps.err, "file with tiles of 960: "));
    CHECK(testing::contains(maps.err, "\"file\""));
    std::string const measured = testing::quoted(testing::first_scenario());  // timings of 320 and 960 only
    nlohmann::json const mirage = testing::json_of(
        "advise " + measured + " --json --set /application/nt=6 --tile-sizes 800,960 --schedulers dmdas");
    CHECK(testing::contains(reason_of(mirage, "tiles of 800"), "tiles of 800 cannot run on mirage"));
    CHECK(run_factosim("advise " + measured + " --set /application/nt=6 --tile-sizes 800,960")
              .out.find("left out      tiles of 800 (1x): ") != std::string::npos);
    ProgramRun const none = run_factosim("advise " + measured + " --tile-sizes 800");
    CHECK(none.code == 4);
    CHECK(testing::contains(none.err, "tiles of 800 cannot run on mirage"));
  }

  TEST_CASE("advice on every application is the best of all its choices") {
    for (std::string const application : {"gemm", "exageostat"}) {
      CAPTURE(application);
      std::string const settings = fmt::format(
          R"(--json --set '/application={{"type":"{}","nt":6,"nb":960}}' --set /distribution/type=block-cyclic )",
          application);
      nlohmann::json const all = testing::json_of(study(2, 2, 6, settings + "--exhaustive"));
      nlohmann::json const advice = testing::json_of(study(2, 2, 6, settings));
      CHECK(advice["best"]["makespan_s"] == all["best"]["makespan_s"]);
      CHECK(advice["search"]["open"] == 0);
      CHECK(advice["search"]["simulated"] <= all["search"]["simulated"]);
    }
    TemporaryFolder const folder;
    folder.write(
        "two.json",
        R"({"format": "factosim-platform", "version": 1, "network": {"provenance": "drawn"}, "node_types": {
      "slow": {"cores": 2, "cycle_time_s": 0.002, "nic": {"bandwidth_Bps": 1e8, "latency_s": 1e-5}},
      "fast": {"cores": 3, "cycle_time_s": 0.001, "nic": {"bandwidth_Bps": 1e8, "latency_s": 1e-5}}}})");
    nlohmann::json const scenario = {
        {"format", "factosim-scenario"},
        {"version", 1},
        {"platform",
         {{"file", "two.json"},
          {"nodes", {{{"type", "slow"}, {"count", 2}}, {{"type", "fast"}, {"count", 2}}}}}},
        {"application", {{"type", "qr"}, {"nt", 6}, {"nb", 100}, {"tree", "nodes"}}}};
    std::string const qr = "advise " + testing::quoted(folder.write("qr.json", scenario.dump())) + " --json ";
    nlohmann::json const all = testing::json_of(qr + "--exhaustive"), advice = testing::json_of(qr);
    CHECK(advice["best"]["makespan_s"] == all["best"]["makespan_s"]);
    CHECK(advice["search"]["open"] == 0);
  }

  TEST_CASE("energy is minimised where powers stand beside the platform's file") {
    nlohmann::json const all =
        testing::json_of(study(2, 2, 8, powers + "--json --exhaustive --objective energy"));
    nlohmann::json const advice = testing::json_of(study(2, 2, 8, powers + "--json --objective energy"));
    CHECK(advice["best"]["energy_J"] == all["best"]["energy_J"]);
    CHECK(advice["best"]["energy_J"] > 0);
    TemporaryFolder const folder;
    nlohmann::json scenario = advice["scenario"];
    scenario["platform"]["file"] = (testing::repository() / "platforms/lille.json").string();
    nlohmann::json const run =
        testing::json_of("run --json " + testing::quoted(folder.write("best.json", scenario.dump())));
    CHECK(run["energy"]["total_J"] == advice["best"]["energy_J"]);
    ProgramRun const unknown = run_factosim(
        study(1, 1, 8, R"(--objective energy --set '/platform/power={"chiflet":{"core_W":5}}')"));
    CHECK(unknown.code == 2);
    CHECK(testing::contains(unknown.err, "/platform/power/chiflet"));
  }
}
