// Makespans under darts against StarPU 1.5 over SimGrid, with and without workers on cores and full GPU memories.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

struct DartsRow {
  std::string app, machine, cores;
  int n = 0;
  double limit_MiB = 0, makespan_ms = 0;
};

std::vector<DartsRow> darts_rows() {
  std::vector<DartsRow> rows;
  std::ifstream file(testing::repository() / "tests/fidelity/peer_darts.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("app")) continue;
    std::istringstream fields(line);
    std::string field;
    auto const next = [&] { return std::getline(fields, field, ',') ? field : std::string(); };
    DartsRow row;
    row.app = next();
    row.machine = next();
    next();
    row.n = std::stoi(next());
    row.cores = next();
    row.limit_MiB = std::stod(next());
    row.makespan_ms = std::stod(next());
    rows.push_back(row);
  }
  return rows;
}

/// Relative error of our makespan.
double error_of(DartsRow const& row, nlohmann::json const& type) {
  auto const& gpus = type["gpus"];
  std::string command = "run '" +
                        (testing::repository() / ("scenarios/peer/" + row.app + "_mirage.json")).string() +
                        "' --json --set /platform=../../platforms/" + row.machine +
                        ".json --set /scheduler/type=darts --set /application/nt=" + std::to_string(row.n);
  if (row.cores == "0")
    command += " --set /runtime/reserved_cores=" +
               std::to_string(type["cores"].get<int>() - static_cast<int>(gpus.size()));
  if (row.limit_MiB > 0)
    command += " --set /runtime/gpu_memory_fraction=" +
               std::to_string(row.limit_MiB * 1048576 / gpus[0]["memory_bytes"].get<double>());
  return 1e3 * testing::json_of(command)["makespan_s"].get<double>() / row.makespan_ms - 1;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("StarPU-SimGrid: makespans under darts without workers on cores") {
    std::map<std::string, nlohmann::json> types;
    double sum = 0, squares = 0;
    int count = 0;
    for (DartsRow const& row : darts_rows()) {
      if (row.cores != "0") continue;  // chaotic, see README.md
      if (!types.contains(row.machine))
        types[row.machine] = nlohmann::json::parse(testing::text_of(
            testing::repository() / ("platforms/" + row.machine + ".json")))["node_types"][row.machine];
      double const error = error_of(row, types[row.machine]);
      CAPTURE(row.app);
      CAPTURE(row.machine);
      CAPTURE(row.n);
      CAPTURE(row.limit_MiB);
      CHECK(std::abs(error) < (row.n == 10 ? 0.15 : 0.12));
      sum += error;
      squares += error * error;
      ++count;
    }
    REQUIRE(count >= 40);
    CHECK(std::abs(sum / count) < 0.01);
    CHECK(std::sqrt(squares / count) < 0.05);
  }
}
