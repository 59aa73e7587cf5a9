// Comparison with StarPU-MPI simulated over SimGrid: several nodes, makespans, messages and bytes.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

struct Row {
  std::string set, app, machine;
  int tile = 0, nodes = 0, n = 0;
  double makespan_ms = 0;
  std::int64_t messages = 0, bytes = 0;

  [[nodiscard]] std::string name() const {
    return app + " " + machine + " " + std::to_string(tile) + " N = " + std::to_string(n) + " on " +
           std::to_string(nodes);
  }
};

std::vector<Row> peer_rows() {
  std::vector<Row> rows;
  std::ifstream file(testing::repository() / "tests/fidelity/peer_multi_node.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("set")) continue;
    std::istringstream fields(line);
    std::string field;
    auto const next = [&] { return std::getline(fields, field, ',') ? field : std::string(); };
    Row row;
    row.set = next();
    row.app = next();
    row.machine = next();
    row.tile = std::stoi(next());
    row.nodes = std::stoi(next());
    row.n = std::stoi(next());
    row.makespan_ms = std::stod(next());
    row.messages = std::stoll(next());
    row.bytes = std::stoll(next());
    rows.push_back(row);
  }
  return rows;
}

nlohmann::json run(Row const& row) {
  auto const root = testing::repository();
  std::ostringstream command;
  command << "run '" << (root / "scenarios/peer" / (row.app + "_mirage.json")).string() << "' --json"
          << " --set '/platform={\"file\":\"" << (root / "platforms" / (row.machine + ".json")).string()
          << "\",\"nodes\":[{\"type\":\"" << row.machine << "\",\"count\":" << row.nodes << "}]}'"
          << " --set /application/nt=" << row.n << " --set /application/nb=" << row.tile;
  if (row.app == "cholesky") command << " --set /application/variant=starpu-mpi";
  return testing::json_of(command.str());
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("StarPU-MPI over SimGrid: makespan and messages and bytes of several nodes") {
    struct Errors {
      double sum = 0, squares = 0;
      int count = 0;
    };
    std::map<std::string, Errors> of_set;
    auto const rows = peer_rows();
    REQUIRE(rows.size() == 36);
    for (Row const& row : rows) {
      auto const ours = run(row);
      CHECK_MESSAGE(ours["tiles_sent"] == row.messages, row.name());
      CHECK_MESSAGE(ours["bytes_sent"] == row.bytes, row.name());
      double const error = 1e3 * ours["makespan_s"].get<double>() / row.makespan_ms - 1;
      MESSAGE(row.set << ": " << row.name() << ": " << row.makespan_ms << " ms, ours "
                      << 1e3 * ours["makespan_s"].get<double>() << ", error % " << 100 * error);
      // The reference itself changes by 6 % when one of its overheads of 1 us is switched off.
      CHECK_MESSAGE(std::abs(error) <= (row.set == "first" ? 0.05 : 0.09), row.name());
      Errors& errors = of_set[row.set];
      errors.sum += error;
      errors.squares += error * error;
      ++errors.count;
    }
    for (auto const& [set, errors] : of_set) {
      double const mean = errors.sum / errors.count, rms = std::sqrt(errors.squares / errors.count);
      MESSAGE(set << ": mean % " << 100 * mean << ", rms % " << 100 * rms);
      CHECK_MESSAGE(std::abs(mean) <= 0.03, set);
      CHECK_MESSAGE(rms <= 0.035, set);
    }
  }
}
