// An application in one file: this one is all that a scenario of its type needs, from reading to the result.

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "factosim/sequential_task_flow.hpp"
#include "models/applications/registry.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/provenance.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/data/test_files.hpp"

using namespace factosim;

namespace {

// The application "relay": a token passes nt tiles, "rounds" times. Each task updates one tile and reads the
// tile before.

std::vector<ApplicationKey> relay_keys() {
  return {
      {.name = "rounds", .description = "of the token", .default_value = std::int64_t{1}, .maximum = 1000}};
}

std::int64_t rounds_of(ApplicationParameters const& p) {
  return std::get<std::int64_t>(value_of(p, relay_keys(), "rounds"));
}

std::vector<Kernel> relay_kernels(ApplicationParameters const& p) {
  return {{.name = "pass", .flops = {2 * std::pow(p.nb, 3)}}};
}

TaskGraph relay_graph(ApplicationParameters const& p, TileMap const& /*map*/) {
  SequentialTaskFlow flow;
  KernelId const pass = flow.add_kernel(relay_kernels(p).front());
  for (int m = 0; m < p.nt; ++m) flow.add_handle({.size = tile_bytes(p), .m = m, .n = 0});
  for (int round = 0; round < rounds_of(p); ++round)
    for (int m = 0; m < p.nt; ++m) {
      std::array const accesses{DataAccess{HandleId{m}, Access::read_write},
                                DataAccess{HandleId{(m + p.nt - 1) % p.nt}, Access::read}};
      flow.submit(pass, 0, {round, m, 0}, accesses);
    }
  return std::move(flow).finish();
}

double relay_tasks(ApplicationParameters const& p) {
  return static_cast<double>(p.nt) * static_cast<double>(rounds_of(p));
}

Application relay_application() {
  return {.name = "relay",
          .variants = {"only"},
          .keys = relay_keys(),
          .graph = relay_graph,
          .kernels = relay_kernels,
          .factorization_kernels =
              [](ApplicationParameters const& p) {
                return FactorizationKernels{relay_kernels(p), {TaskKind::update}};
              },
          .total_flops =
              [](ApplicationParameters const& p) {
                return Flops{relay_tasks(p) * relay_kernels(p).front().flops.value};
              },
          .max_tasks = relay_tasks};
}

/// A scenario on `nodes` nodes of one core each, on which an update takes half a second; the runtime costs no
/// time.
std::filesystem::path relay_scenario(testing::TemporaryFolder const& folder, int nodes) {
  folder.write("platform.json", R"({"format": "factosim-platform", "version": 1, "network": {},
    "node_types": {"slow": {"cycle_time_s": 0.5, "nic": {"bandwidth_Bps": 1e9, "latency_s": 0}}},
    "nodes": [{"type": "slow", "count": )" +
                                    std::to_string(nodes) + "}]}");
  return folder.write("relay.json",
                      R"({"format": "factosim-scenario", "version": 1, "platform": "platform.json",
    "application": {"type": "relay", "nt": 3, "nb": 100, "rounds": 4},
    "distribution": {"type": "block-cyclic", "p": )" +
                          std::to_string(nodes) + R"(, "q": 1},
    "runtime": {"submission_cost_s": 0, "push_cost_s": 0, "fetch_cost_s": 0, "progress_cost_s": 0,
                "wont_use_cost_s": 0}, "network": {"model": "maxmin"}})");
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("an added application is read and simulated like any other") {
    testing::TemporaryFolder const folder;
    AddedApplication const added(relay_application());
    nlohmann::ordered_json const result =
        run_plan(plan_simulation(read_scenario(relay_scenario(folder, 1), {}))).json;
    CHECK(result["tasks"] == 12);
    CHECK(result["makespan_s"].get<double>() == doctest::Approx(12 * 0.5).epsilon(1e-12));
    CHECK(result["bounds"]["critical_path_s"].get<double>() == doctest::Approx(12 * 0.5).epsilon(1e-12));
    CHECK(result["gflops"].get<double>() == doctest::Approx(2e6 / 0.5 / 1e9).epsilon(1e-12));
    CHECK(result["provenance"]["options"]["application"].dump() ==
          R"({"type":"relay","nt":3,"nb":100,"precision":"double","variant":"only","rounds":4})");
  }

  TEST_CASE("messages of an application without a closed form are counted on its graph") {
    testing::TemporaryFolder const folder;
    AddedApplication const added(relay_application());
    auto const file = relay_scenario(folder, 3);
    CHECK(tiles_sent(read_placement(file, {})) ==
          11);  // each tile version but the last goes to the next node
    CHECK(run_plan(plan_simulation(read_scenario(file, {}))).json["tiles_sent"] == 11);
  }

  TEST_CASE("keys of an added application have their default and are checked") {
    testing::TemporaryFolder const folder;
    AddedApplication const added(relay_application());
    auto const file = relay_scenario(folder, 1);
    auto const message = [&](std::string const& setting) {
      return testing::message_of([&] { (void)read_scenario(file, {setting}); });
    };
    CHECK(effective_options(place(read_scenario(
              file, {R"(/application={"type": "relay", "nt": 3, "nb": 100})"})))["application"]["rounds"] ==
          1);
    CHECK(message("/application/rounds=1001").find("#/application/rounds: ") != std::string::npos);
    CHECK(message("/application/tree=flat").find("#/application/tree: unknown key") != std::string::npos);
  }

  TEST_CASE("an application leaves the registry with the object that added it") {
    std::size_t const before = applications().size();
    {
      AddedApplication const added(relay_application());
      CHECK(application("relay").name == "relay");
    }
    CHECK(applications().size() == before);
    CHECK_THROWS_AS(application("relay"), std::out_of_range);
  }
}
