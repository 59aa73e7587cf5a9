// Eviction ahead of need: nothing changes where memory is ample, more is copied where it is not, and check accepts it.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

std::string lu(double fraction, std::string const& options) {
  return "run " + testing::quoted(testing::first_scenario()) +
         " --set /application/nt=12 --set /network/model=maxmin --set /runtime/gpu_memory_fraction=" +
         std::to_string(fraction) + " " + options;
}

std::string const ahead = "--set /runtime/min_free_gpu_memory=0.3 --set /runtime/target_free_gpu_memory=0.6 ";

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("eviction ahead of need changes nothing with ample memory and copies with little") {
    auto const run = [](double fraction, std::string const& options) {
      return testing::json_of(lu(fraction, options + "--json"));
    };
    auto const copied = [](nlohmann::json const& result) {
      return result["transfers"]["h2d_bytes"].get<double>() + result["transfers"]["d2d_bytes"].get<double>();
    };
    // The whole matrix takes a sixth of a GPU's memory.
    nlohmann::json const ample = run(0.9, ""), ample_ahead = run(0.9, ahead);
    CHECK(ample["makespan_s"] == ample_ahead["makespan_s"]);
    CHECK(ample["transfers"] == ample_ahead["transfers"]);
    CHECK(ample_ahead["provenance"]["options"]["runtime"]["target_free_gpu_memory"] == 0.6);
    CHECK_FALSE(ample["provenance"]["options"]["runtime"].contains("min_free_gpu_memory"));
    for (double const fraction : {0.05, 0.1}) {
      CAPTURE(fraction);
      CHECK(copied(run(fraction, ahead)) != copied(run(fraction, "")));
    }
  }

  TEST_CASE("check accepts runs with eviction ahead of need and a target below the minimum is refused") {
    testing::TemporaryFolder const folder;
    for (std::string const policy : {"dmdas", "eager", "heteroprio"}) {
      CAPTURE(policy);
      std::string const out = testing::quoted(folder / policy);
      REQUIRE(
          testing::run_factosim(lu(0.05, ahead + "--set /scheduler/type=" + policy + " --out " + out)).code ==
          0);
      CHECK(testing::run_factosim("check " + out).code == 0);
    }
    testing::ProgramRun const refused =
        testing::run_factosim(lu(0.1, "--set /runtime/min_free_gpu_memory=0.3"));
    CHECK(refused.code == 2);
    CHECK(refused.err.find("#/runtime/min_free_gpu_memory: is 0.3, above") != std::string::npos);
  }
}
