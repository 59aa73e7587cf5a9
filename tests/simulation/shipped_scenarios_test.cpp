// Every shipped scenario: expected numbers, and both network models compared.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;

namespace {

std::vector<std::filesystem::path> shipped_scenarios() {
  std::vector<std::filesystem::path> files;
  auto const is_of_another_kind = [](std::string const& name) {
    return std::ranges::any_of(
        std::array{"expected.json", ".sweep.json", ".platform.json", ".kernels.json", ".errors.json"},
        [&](char const* end) { return name.ends_with(end); });
  };
  for (auto const& entry : std::filesystem::recursive_directory_iterator(testing::repository() / "scenarios"))
    if (entry.path().extension() == ".json" && !is_of_another_kind(entry.path().filename().string()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

nlohmann::json result_of_file(std::filesystem::path const& scenario, std::string const& options = "") {
  return testing::json_of("run '" + scenario.string() + "' --json " + options);
}

nlohmann::json expected_of(std::filesystem::path const& scenario) {
  nlohmann::json const all =
      nlohmann::json::parse(testing::text_of(scenario.parent_path() / "expected.json"));
  return all.at(scenario.filename().string());
}

}  // namespace

TEST_SUITE("shipped") {
  TEST_CASE("every shipped scenario gives the numbers of its expected.json") {
    for (auto const& file : shipped_scenarios()) {
      CAPTURE(file.string());
      nlohmann::json const result = result_of_file(file);
      nlohmann::json const expected = expected_of(file);
      for (char const* const key : {"tasks", "tiles_sent", "estimate"})
        if (expected.contains(key)) CHECK(result[key] == expected[key]);
      CHECK(expected.contains("estimate"));
      // Another compiler may round differently and change the schedule slightly.
      CHECK(result["makespan_s"].get<double>() ==
            doctest::Approx(expected["makespan_s"].get<double>()).epsilon(0.01));
    }
  }

  TEST_CASE(
      "SimGrid and the own max-min network agree on the makespan within 1 percent on every shipped "
      "scenario") {
    if (testing::without_simgrid()) return;
    for (auto const& file : shipped_scenarios()) {
      CAPTURE(file.string());
      double const simgrid = result_of_file(file, "--set /network/model=simgrid")["makespan_s"];
      double const maxmin = result_of_file(file, "--set /network/model=maxmin")["makespan_s"];
      CHECK(maxmin == doctest::Approx(simgrid).epsilon(0.01));
    }
  }

  TEST_CASE("no sharing is never slower by more than the variability of a schedule") {
    for (auto const& file : shipped_scenarios()) {
      CAPTURE(file.string());
      double const shared = result_of_file(file)["makespan_s"];
      double const unshared = result_of_file(file, "--set /network/model=constant")["makespan_s"];
      CHECK(unshared <= shared * 1.02);
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE(
      "ICPADS20 VI-B: LU of 100 x 100 tiles block-cyclic on 22 nodes sends 55329 tiles in the simulation") {
    CHECK(result_of_file(testing::lille_scenario())["tiles_sent"] == 55329);
  }
}
