// Comparison with StarPU-SimGrid on one mirage node beyond makespans (table.sh): placement of tasks, bus
// traffic, ablation of mechanisms, and cost of simulating full memories.

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

nlohmann::json run(std::string const& app, int n, std::string const& settings) {
  auto const file = testing::repository() / ("scenarios/peer/" + app + "_mirage.json");
  return testing::json_of("run '" + file.string() + "' --json --set /application/nt=" + std::to_string(n) +
                          " " + settings);
}

double milliseconds(nlohmann::json const& result) { return 1e3 * result["makespan_s"].get<double>(); }

/// Columns of the file, in order.
constexpr std::array quantities{"cuda0", "cuda1", "cuda2", "cpu", "h2d", "d2h", "d2d"};
struct Placement {
  std::string app, policy;
  int n = 0;
  std::array<double, quantities.size()> values{};
};

std::vector<Placement> peer_placements() {
  std::vector<Placement> rows;
  std::ifstream file(testing::repository() / "tests/fidelity/peer_placement.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("app")) continue;
    Placement row;
    std::istringstream fields(line);
    std::string field;
    auto const next = [&] { return std::getline(fields, field, ',') ? field : std::string(); };
    row.app = next();
    row.n = std::stoi(next());
    row.policy = next();
    for (double& value : row.values) value = std::stod(next());
    rows.push_back(row);
  }
  return rows;
}

std::array<double, quantities.size()> placement_of(nlohmann::json const& result) {
  constexpr double gib = 1 << 30;
  std::array<double, quantities.size()> out{};
  for (std::size_t i = 0; i < 4; ++i) out[i] = result["nodes"][0]["tasks_by_worker"][quantities[i]];
  for (std::size_t i = 4; i < out.size(); ++i)
    out[i] = result["transfers"][std::string(quantities[i]) + "_bytes"].get<double>() / gib;
  return out;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("StarPU-SimGrid: tasks of each worker and bytes of each direction") {
    auto const rows = peer_placements();
    REQUIRE(rows.size() == 10);
    for (Placement const& row : rows) {
      auto const ours = placement_of(run(row.app, row.n, "--set /scheduler/type=" + row.policy));
      for (std::size_t i = 0; i < ours.size(); ++i) {
        std::string const what =
            row.app + " " + std::to_string(row.n) + " " + row.policy + " " + quantities[i];
        double const error = ours[i] / row.values[i] - 1;
        MESSAGE(what << ": " << row.values[i] << " ours " << ours[i] << " error % " << 100 * error);
        // At N = 10, a third of a second, the shares of the three equal GPUs are random.
        bool const small = row.n == 10;
        bool const known_gap = what == "cholesky 20 dmdas d2d";  // see README.md
        double const limit = small ? 0.20 : known_gap ? 0.13 : 0.10;
        if (!small || i >= 4) CHECK_MESSAGE(std::abs(error) <= limit, what);
      }
    }
  }

  TEST_CASE("StarPU-SimGrid: ablation of each mechanism") {
    // Cholesky N = 20 with dmdas, in ms. The CPU-only run uses the nine cores of the others.
    struct Case {
      std::string settings;
      double peer, limit;
    };
    for (auto const& [settings, peer, limit] :
         {Case{"", 1451, 0.01}, Case{"--set /runtime/gpu_pipeline=0", 1519, 0.02},
          Case{"--set /runtime/prefetch=false", 1426, 0.01},
          Case{"--set /runtime/reserved_cores=9", 1658, 0.01},
          Case{"--set /runtime/max_gpus=0 --set /runtime/reserved_cores=3", 13393, 0.01}}) {
      double const ours = milliseconds(run("cholesky", 20, settings));
      MESSAGE(settings << ": " << peer << " ms, ours " << ours);
      CHECK_MESSAGE(std::abs(ours / peer - 1) <= limit, settings);
    }
    double const base = milliseconds(run("cholesky", 20, ""));
    CHECK(milliseconds(run("cholesky", 20, "--set /runtime/gpu_pipeline=0")) > 1.015 * base);
  }

  TEST_CASE("simulating full GPU memories costs no more than their additional transfers") {
    // There are more than twice as many transfers per task, and more at a time on the bus; see README.md.
    auto const cost = [](nlohmann::json const& result) {
      double const copies =
          (result["transfers"]["h2d_bytes"].get<double>() + result["transfers"]["d2h_bytes"].get<double>() +
           result["transfers"]["d2d_bytes"].get<double>()) /
          (960 * 960 * 8);
      return result["simulation"]["cpu_s"].get<double>() / (result["tasks"].get<double>() + copies);
    };
    double half = 1, full = 1;  // the best of five, since other programs run too
    for (int i = 0; i < 5; ++i) {
      half = std::min(half, cost(run("lu", 30, "")));
      full = std::min(full, cost(run("lu", 60, "")));
    }
    MESSAGE("CPU us per task and copy: N = 30 " << 1e6 * half << ", N = 60 " << 1e6 * full);
    CHECK(full < 2 * half);
  }
}
