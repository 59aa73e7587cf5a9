// Advice on the tiles of a problem whose tasks may be split during the run.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::ProgramRun;
using testing::run_factosim;

namespace {

/// LU of 11 520 rows on mirage, by max-min.
std::string problem() {
  return testing::quoted(testing::first_scenario()) +
         " --set /application/nt=12 --set /application/nb=960 --set /network/model=maxmin ";
}

std::string recursive(int tile, std::string const& splitter) {
  return fmt::format(R"(--set '/application/recursive={{"tile":{},"splitter":"{}"}}' )", tile, splitter);
}

nlohmann::json left_out(nlohmann::json const& told, std::string const& option) {
  for (nlohmann::json const& left : told.value("left_out", nlohmann::json::array()))
    if (left["option"] == option) return left;
  return {};
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the pair of tile sizes and the splitter that advise chooses are the best of all runs") {
    std::set<double> makespans;
    double best = std::numeric_limits<double>::infinity();
    std::string best_run;
    auto const note = [&](std::string const& options) {
      double const makespan = testing::json_of("run " + problem() + options + "--json")["makespan_s"];
      makespans.insert(makespan);
      if (makespan < best) best_run = options;
      best = std::min(best, makespan);
    };
    for (int const nb : {960, 640, 320})
      note(fmt::format("--set /application/nb={} --set /application/nt={} ", nb, 12 * 960 / nb));
    for (int const nb : {960, 640})
      for (char const* const splitter : {"always", "cores", "linear-program"})
        note(fmt::format("--set /application/nb={} --set /application/nt={} ", nb, 12 * 960 / nb) +
             recursive(320, splitter));
    CHECK(makespans.size() >= 7);  // the choices differ
    nlohmann::json const advice =
        testing::json_of("advise " + problem() + "--tile-sizes 960,640,320 --part-sizes 320 --json");
    CAPTURE(best_run);
    CHECK(advice["best"]["makespan_s"] == best);
    CHECK(advice["search"]["least_bound_of_others"].is_null());
    // The scenario of the answer runs as promised.
    testing::TemporaryFolder const folder;
    std::string const out = testing::quoted(folder / "best.json");
    nlohmann::json const all = testing::json_of("advise " + problem() + recursive(320, "never") +
                                                "--tile-sizes 960,640,320 --exhaustive --json --out " + out);
    CHECK(all["best"]["makespan_s"] == best);
    CHECK(all["search"]["choices"] == advice["search"]["choices"]);
    CHECK(testing::json_of("run " + out + " --json")["makespan_s"] == best);
    for (nlohmann::json const& choice : all["pareto_front"])
      CHECK(makespans.contains(choice["makespan_s"].get<double>()));
  }

  TEST_CASE("advice prunes splitters by bounds that no run of them is below") {
    nlohmann::json const advice =
        testing::json_of("advise " + problem() +
                         "--set /application/type=cholesky --set /application/precision=single --part-sizes "
                         "320 --runs 4 --json");
    CHECK(advice["search"]["simulated"] == 4);
    nlohmann::json const all =
        testing::json_of("advise " + problem() +
                         "--set /application/type=cholesky --set /application/precision=single --part-sizes "
                         "320 --exhaustive --json");
    if (advice["search"]["open"] > 0)
      CHECK(advice["search"]["least_bound_of_others"].get<double>() <=
            all["best"]["makespan_s"].get<double>());
    CHECK(advice["best"]["makespan_s"].get<double>() >= all["best"]["makespan_s"].get<double>());
  }

  TEST_CASE("splitting is one choice of nodes among others and what cannot be split is left out") {
    std::string const two = fmt::format(
        "{} --set /application/nt=6 --set "
        "'/platform={{\"file\":\"{}\",\"nodes\":[{{\"type\":\"mirage\",\"count\":2}}]}}' ",
        problem(), (testing::repository() / "platforms/mirage.json").string());
    nlohmann::json const told = testing::json_of("advise " + two +
                                                 "--part-sizes 320 --splitters always --distributions 1d1d "
                                                 "--schedulers dmdas,heft --exhaustive --json");
    // One node or two with tiles of 960 and of 320, and one node that splits: of the latter heft cannot be run.
    CHECK(told["search"]["choices"] == 2 * (2 + 2 + 1));
    CHECK(left_out(told, "several nodes with tiles of 960 split into 320 by always")["count"] == 1);
    nlohmann::json const heft = left_out(told, "1d1d with tiles of 960 split into 320 by always");
    CHECK(heft["count"] == 1);
    CHECK(heft["reason"].get<std::string>().find("is \"heft\"") != std::string::npos);
    nlohmann::json const unmeasured = testing::json_of(
        "advise " + problem() + "--set /application/nt=4 --tile-sizes 960 --part-sizes 192,320 --json");
    CHECK(left_out(unmeasured, "tiles of 960 split into 192 by cores")["reason"].get<std::string>().find(
              "tiles of 192 cannot run on mirage") != std::string::npos);
  }

  TEST_CASE("sizes that cannot be split are refused with what to change") {
    auto const refusal = [](std::string const& options) {
      ProgramRun const run = run_factosim("advise " + problem() + options);
      CHECK(run.code == 2);
      return run.err;
    };
    CHECK(refusal("--part-sizes 700").find("parts of 700 divide none of the tile sizes 960, 700") !=
          std::string::npos);
    CHECK(refusal("--splitters always").find("Give --part-sizes") != std::string::npos);
    CHECK(refusal("--set /application/type=gemm --part-sizes 320").find("tasks cannot be split") !=
          std::string::npos);
    CHECK(refusal("--part-sizes 320 --splitters sometimes").find("sometimes") != std::string::npos);
  }
}
