// Comparison with StarPU over SimGrid beyond the makespans of table.sh: placement of tasks, bus traffic, ablation of
// mechanisms, cost of simulating full memories, little GPU memory, darts, several nodes, versions 1.4 and 1.5.

#include "tests/fidelity/peer_rows.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

nlohmann::json run(std::string const& app, int n, std::string const& settings) {
  auto const file = repository() / ("scenarios/peer/" + app + "_mirage.json");
  return json_of("run " + quoted(file) + " --json --set /application/nt=" + std::to_string(n) + " " +
                 settings);
}

double milliseconds(nlohmann::json const& result) { return 1e3 * result["makespan_s"].get<double>(); }

/// Tasks of each GPU and of the cores, and GiB of each direction.
constexpr std::array quantities{"cuda0", "cuda1", "cuda2", "cpu", "h2d", "d2h", "d2d"};
std::array<double, quantities.size()> placement_of(nlohmann::json const& result) {
  constexpr double gib = 1 << 30;
  std::array<double, quantities.size()> out{};
  for (std::size_t i = 0; i < 4; ++i) out[i] = result["nodes"][0]["tasks_by_worker"][quantities[i]];
  for (std::size_t i = 4; i < out.size(); ++i)
    out[i] = result["transfers"][std::string(quantities[i]) + "_bytes"].get<double>() / gib;
  return out;
}

/// The factors by which SimGrid's SMPI multiplies bandwidths and latencies for messages of 65 472 B and more, on
/// all links of a run with MPI (SimGrid 3.32, the defaults of smpi/bw-factor and smpi/lat-factor).
std::string const smpi_factors =
    "--set /network/bandwidth_factor=0.940694 --set /network/latency_factor=11.6436";

nlohmann::json over_mpi(PeerRow const& row) {
  std::string options = smpi_factors;
  if (row.text("app") == "cholesky") options += " --set /application/variant=starpu-mpi";
  if (row.number("late_receive_buffers") > 0) options += " --set /runtime/late_receive_buffers=true";
  return simulated(row, options);
}

std::string family_of(std::string const& policy) {
  if (policy == "dmdap" || policy == "dmdasd") return "dmdap and dmdasd";
  return policy == "eager" || policy == "prio" ? "eager and prio" : policy;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("StarPU-SimGrid: tasks of each worker and bytes of each direction") {
    auto const rows = peer_rows("peer_placement.csv");
    REQUIRE(rows.size() == 10);
    for (PeerRow const& row : rows) {
      std::string const app = row.text("app"), policy = row.text("policy");
      int const n = static_cast<int>(row.number("n"));
      auto const ours = placement_of(run(app, n, "--set /scheduler/type=" + policy));
      for (std::size_t i = 0; i < ours.size(); ++i) {
        std::string const what = app + " " + std::to_string(n) + " " + policy + " " + quantities[i];
        double const error = ours[i] / row.number(quantities[i]) - 1;
        MESSAGE(what << ": " << row.text(quantities[i]) << " ours " << ours[i] << " error % " << 100 * error);
        // At N = 10, a third of a second, the shares of the three equal GPUs are random.
        bool const small = n == 10;
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

  TEST_CASE("StarPU-SimGrid: makespans with GPU memories of 3 to 75 percent of the matrix") {
    for (auto const& [file, version] :
         {std::pair{"peer_pressure.csv", "1.4"}, {"peer_pressure_1.5.csv", "1.5"}}) {
      CAPTURE(version);
      std::map<std::string, PeerErrors> others, of_dm;
      std::string const option = fmt::format("--set '/runtime/version=\"{}\"'", version);
      for (PeerRow const& row : peer_rows(file)) {
        double const error = error_of(row, simulated(row, option));
        CHECK_MESSAGE(std::abs(error) < 0.16, row.name());
        (row.text("policy") == "dm" ? of_dm : others)[family_of(row.text("policy"))].add(error);
      }
      REQUIRE(others.size() == 6);
      check_errors(others, 0.03, 0.055);
      // One row of dm, chaotic in StarPU itself (README.md), has more than half of its family's squares.
      check_errors(of_dm, 0.03, 0.07);
    }
  }

  TEST_CASE("StarPU-SimGrid: makespans under darts without workers on cores") {
    PeerErrors errors;
    for (PeerRow const& row : peer_rows("peer_darts.csv")) {
      if (row.text("cores") != "0") continue;  // chaotic, see README.md
      nlohmann::json const type = machine_of(row);
      auto const cores = type["cores"].get<std::size_t>() - type["gpus"].size();
      double const error = error_of(
          row,
          simulated(row, fmt::format("--set /scheduler/type=darts --set /runtime/reserved_cores={}", cores)));
      CHECK_MESSAGE(std::abs(error) < (row.number("n") == 10 ? 0.15 : 0.12), row.name());
      errors.add(error);
    }
    REQUIRE(errors.count >= 40);
    check_errors({{"darts", errors}}, 0.01, 0.05);
  }

  TEST_CASE("StarPU-MPI over SimGrid: makespan and messages and bytes of several nodes") {
    std::map<std::string, PeerErrors> of_set;
    auto const rows = peer_rows("peer_multi_node.csv");
    REQUIRE(rows.size() == 36);
    for (PeerRow const& row : rows) {
      auto const ours = over_mpi(row);
      CHECK_MESSAGE(ours["tiles_sent"] == row.number("messages"), row.name());
      CHECK_MESSAGE(ours["bytes_sent"] == row.number("bytes"), row.name());
      double const error = error_of(row, ours);
      // The reference itself changes by 6 % when one of its overheads of 1 us is switched off.
      CHECK_MESSAGE(std::abs(error) <= (row.text("set") == "first" ? 0.04 : 0.1), row.name());
      of_set[row.text("set")].add(error);
    }
    check_errors(of_set, 0.01, 0.035);
  }

  TEST_CASE("StarPU-MPI 1.4 and 1.5 over SimGrid: other machines and policies and limited memory") {
    std::map<std::string, PeerErrors> of_version;
    for (PeerRow const& row : peer_rows("peer_versions.csv")) {
      double const error = error_of(row, over_mpi(row));
      CHECK_MESSAGE(std::abs(error) <= 0.08, row.name());
      of_version[row.text("version")].add(error);
    }
    CHECK(of_version.size() == 2);
    check_errors(of_version, 0.015, 0.035);
  }
}
