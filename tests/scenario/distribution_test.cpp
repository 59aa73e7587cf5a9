// Distributions and bounds of iterations, end to end.

#include "tests/cli/program.hpp"
#include "tests/graph/random_flow.hpp"

using namespace factosim;
using nlohmann::json;
using testing::json_of;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;

namespace {

std::string nodes(int chetemi, int chifflet) {
  return " --set '/platform/nodes=[{\"type\":\"chetemi\",\"count\":" + std::to_string(chetemi) +
         "},{\"type\":\"chifflet\",\"count\":" + std::to_string(chifflet) + "}]'";
}

std::string distributed(json const& distribution) {
  return " --set '/distribution=" + distribution.dump() + "'";
}

/// A scenario without a platform.
std::filesystem::path without_platform(testing::TemporaryFolder const& folder, json const& distribution,
                                       std::string const& application = "lu", int nt = 100) {
  return folder.write("s.json", json{{"format", "factosim-scenario"},
                                     {"version", 1},
                                     {"application", {{"type", application}, {"nt", nt}, {"nb", 960}}},
                                     {"distribution", distribution}}
                                    .dump());
}

std::vector<double> two_kinds(int slow, int fast, double ratio) {
  std::vector<double> speeds(static_cast<std::size_t>(slow), 1);
  speeds.insert(speeds.end(), static_cast<std::size_t>(fast), ratio);
  return speeds;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("speeds alone are enough to distribute") {
    testing::TemporaryFolder const folder;
    auto const file =
        without_platform(folder, {{"type", "1d1d"}, {"speeds", two_kinds(30, 16, 1.995)}}, "lu", 150);
    json const answer = json_of("distribute '" + file.string() + "' --json");
    CHECK(answer["tiles_sent"] == 129'164);
    CHECK(answer["owner"].size() == 150);
    CHECK(answer["partition"]["columns"].size() == 7);
    CHECK(answer["partition"]["cost"] >= answer["partition"]["lower_bound"]);
    auto const tiles = answer["tiles_per_node"].get<std::vector<int>>();
    CHECK(std::accumulate(tiles.begin(), tiles.end(), 0) == 150 * 150);
  }

  TEST_CASE("ties go to the highest index unless the lowest is requested") {
    testing::TemporaryFolder const folder;
    auto const owner_of_last = [&](char const* tie) {
      auto const file =
          without_platform(folder, {{"type", "1d1d"}, {"speeds", two_kinds(4, 0, 1)}, {"tie", tie}}, "lu", 5);
      return json_of("distribute '" + file.string() + "' --json")["owner"][4][4];
    };
    CHECK(owner_of_last("highest") == 3);
    CHECK(owner_of_last("lowest") == 0);
  }

  TEST_CASE("sections and moves of 1Dx1D-C+S are printed") {
    testing::TemporaryFolder const folder;
    std::vector<double> rates;
    for (double const s : two_kinds(14, 7, 1430.0 / 560)) rates.push_back(560e9 * s);
    auto const file = without_platform(
        folder,
        {{"type", "1d1d-c+s"}, {"speeds", two_kinds(14, 7, 2)}, {"rates", rates}, {"transfer_s", 0.01}});
    json const answer = json_of("distribute '" + file.string() + "' --json");
    CHECK(answer["sections"].front()["first_k"] == 100);
    CHECK(answer["sections"].back()["last_k"] == 1);
    CHECK(answer["sections"].back()["nodes"].size() == 21);
    CHECK(answer["moves"].size() > 0);
    json const& move = answer["moves"].back();
    CHECK(answer["owner"][move["m"].get<std::size_t>()][move["n"].get<std::size_t>()] == move["to"]);
  }

  TEST_CASE(
      "every distribution simulates on a heterogeneous platform and sends the counted number of tiles") {
    testing::Random random(9);
    for (std::string const application : {"lu", "cholesky"})
      for (std::string const type :
           {"block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s", "kalinov-lastovetsky", "g-2dbc"}) {
        CAPTURE_ALL(application, type);
        std::string const common = quoted(testing::lille_scenario()) +
                                   nodes(random.between(1, 9), random.between(1, 5)) +
                                   distributed({{"type", type}}) + " --set /application/type=" + application +
                                   " --set /application/nt=" + std::to_string(random.between(5, 20)) +
                                   " --set /network/model=maxmin --json";
        CHECK(json_of("run " + common)["tiles_sent"] == json_of("distribute " + common)["tiles_sent"]);
      }
    std::string const sbc = quoted(testing::lille_scenario()) + nodes(6, 4) + distributed({{"type", "sbc"}}) +
                            " --set /application/type=cholesky --set /application/nt=20 --json";
    CHECK(json_of("run " + sbc)["tiles_sent"] == json_of("distribute " + sbc)["tiles_sent"]);
  }

  TEST_CASE("bounds of the iterations sum up to more than those of the whole") {
    json const b = json_of("bounds " + quoted(testing::lille_scenario()) + nodes(14, 8) +
                           distributed({{"type", "1d1d-c"}}) + " --set /application/nt=40 --json");
    json const& iterations = b["iterations"];
    REQUIRE(iterations["abe_s"].size() == 40);
    double stars = 0;
    for (std::size_t k = 0; k < 40; ++k) {
      double const star = iterations["abe_star_s"][k];
      stars += star;
      CHECK(iterations["abe_s"][k].get<double>() >= star * (1 - 1e-9));
      CHECK(iterations["cpb_with_comm_s"][k] >= iterations["cpb_s"][k]);
    }
    CHECK(stars >= b["abe_s"].get<double>() * (1 - 1e-9));
    for (std::size_t node = 0; node < 22; ++node)
      CHECK(iterations["cabe_per_node_s"][node][39].get<double>() >=
            b["abe_per_node_s"][node].get<double>() * (1 - 1e-9));
    double in_sections = 0;
    for (json const& section : b["sections"]) in_sections += section["sabe_per_node_s"][3].get<double>();
    CHECK(in_sections == doctest::Approx(iterations["cabe_per_node_s"][3][39].get<double>()));
  }

  TEST_CASE("mistakes in a distribution are reported with a remedy") {
    struct Case {
      json distribution;
      std::string says;
    };
    for (auto const& [distribution, says] :
         std::vector<Case>{{{{"type", "2d2d"}}, "Use one of: block-cyclic, 1d1d, 1d1d-c, 1d1d-c+s"},
                           {{{"type", "1d1d"}, {"speeds", {1, 2}}},
                            "#/distribution/speeds: has 2 numbers (there are 22 nodes)"},
                           {{{"type", "1d1d"}, {"speeds", "gem"}}, "#/distribution/speeds"},
                           {{{"type", "1d1d"}, {"rates", "gemm"}}, "#/distribution/rates: unknown key"},
                           {{{"type", "1d1d-c"}, {"transfer_s", -1}}, "#/distribution/transfer_s"},
                           {{{"type", "1d1d-c+s"}, {"threshold_s", 0}}, "#/distribution/threshold_s"},
                           {{{"type", "sbc"}}, "does not exist for 22 nodes"},
                           {{{"type", "kalinov-lastovetsky"}, {"p", 5}, {"q", 5}}, "Give p x q <= 22"}}) {
      CAPTURE(distribution.dump());
      ProgramRun const run =
          run_factosim("distribute " + quoted(testing::lille_scenario()) + distributed(distribution));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(testing::contains(run.err, says));
    }
    testing::TemporaryFolder const folder;
    for (auto const& [distribution, says] : std::vector<Case>{
             {{{"type", "1d1d"}}, "#/distribution: the key \"speeds\" is missing"},
             {{{"type", "1d1d"}, {"speeds", {1, 0}}}, "#/distribution/speeds/1: is 0"},
             {{{"type", "1d1d"}, {"speeds", json::array()}}, "#/distribution/speeds"},
             {{{"type", "1d1d-c"}, {"speeds", {1, 2}}}, "has no \"rates\" (without a platform"}}) {
      CAPTURE(distribution.dump());
      ProgramRun const run =
          run_factosim("distribute '" + without_platform(folder, distribution).string() + "'");
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(testing::contains(run.err, says));
    }
  }
}
