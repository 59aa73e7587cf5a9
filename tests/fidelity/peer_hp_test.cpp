// Makespans under hp and hp-lookahead against StarPU 1.5 over SimGrid.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

struct Statistics {
  double sum = 0, squares = 0, worst = 0;
  int count = 0;

  void add(double error) {
    sum += error;
    squares += error * error;
    if (std::abs(error) > std::abs(worst)) worst = error;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double rms() const { return std::sqrt(squares / count); }
};

double makespan_ms(std::vector<std::string> const& row) {
  return 1e3 * testing::json_of(fmt::format(
                   "run '{}' --json --set /platform=../../platforms/{}.json --set /application/nb={} --set "
                   "/application/nt={} --set /scheduler/type={}",
                   (testing::repository() / ("scenarios/peer/" + row[0] + "_mirage.json")).string(), row[1],
                   row[2], row[3], row[4]))["makespan_s"]
                   .get<double>();
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("StarPU-SimGrid: makespans under hp and hp-lookahead") {
    std::map<std::string, Statistics> statistics;  // relative errors, by policy
    std::ifstream file(testing::repository() / "tests/fidelity/peer_hp.csv");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#") || line.starts_with("app")) continue;
      std::istringstream fields(line);
      std::vector<std::string> row;
      for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
      CAPTURE(line);
      double const error = makespan_ms(row) / std::stod(row[5]) - 1;
      CHECK(std::abs(error) < 0.12);
      statistics[row[4]].add(error);
    }
    for (auto const& [policy, s] : statistics) {
      MESSAGE(fmt::format("{}: {} rows, mean {:+.2f} %, rms {:.2f} %, worst {:+.2f} %", policy, s.count,
                          100 * s.mean(), 100 * s.rms(), 100 * s.worst));
      CHECK(s.count >= 21);
      CHECK(std::abs(s.mean()) < 0.015);
      CHECK(s.rms() < 0.045);
    }
  }
}
