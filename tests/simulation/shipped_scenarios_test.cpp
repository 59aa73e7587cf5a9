// Every shipped scenario: expected numbers, and both network models compared.

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

/// Returns the makespan with the network model; a run of the scenario as it is, which `result` is of, is not repeated.
double makespan_with(std::string const& model, std::filesystem::path const& scenario,
                     nlohmann::json const& result) {
  nlohmann::json const own = result.at("/provenance/options/network/model"_json_pointer);
  return (own == model ? result : result_of_file(scenario, "--set /network/model=" + model))["makespan_s"];
}

nlohmann::json expected_of(std::filesystem::path const& scenario) {
  nlohmann::json const all =
      nlohmann::json::parse(testing::text_of(scenario.parent_path() / "expected.json"));
  return all.at(scenario.filename().string());
}

}  // namespace

TEST_SUITE("shipped") {
  TEST_CASE(
      "every shipped scenario gives the numbers of its expected.json, with SimGrid and the own max-min "
      "network within 1 "
      "percent of each other, and without sharing nothing slower than the variability of a schedule") {
    bool const without_simgrid = testing::without_simgrid();
    for (auto const& file : shipped_scenarios()) {
      CAPTURE(file.string());
      nlohmann::json const result = result_of_file(file);
      nlohmann::json const expected = expected_of(file);
      double const makespan = result["makespan_s"];
      for (char const* const key : {"tasks", "tiles_sent", "estimate"})
        if (expected.contains(key)) CHECK(result[key] == expected[key]);
      CHECK(expected.contains("estimate"));
      // Another compiler may round differently and change the schedule slightly.
      CHECK(makespan == doctest::Approx(expected["makespan_s"].get<double>()).epsilon(0.01));
      CHECK(makespan_with("constant", file, result) <= makespan * 1.02);
      if (!without_simgrid)
        CHECK(makespan_with("maxmin", file, result) ==
              doctest::Approx(makespan_with("simgrid", file, result)).epsilon(0.01));
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE(
      "ICPADS20 VI-B: LU of 100 x 100 tiles block-cyclic on 22 nodes sends 55329 tiles in the simulation") {
    CHECK(result_of_file(testing::lille_scenario())["tiles_sent"] == 55329);
  }
}
