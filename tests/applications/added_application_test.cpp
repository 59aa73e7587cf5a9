// An application in one file: this one is all that a scenario of its type needs, from reading to the result.

#include "models/applications/application.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/prelude.hpp"

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

class RelayFlow final : public ApplicationFlow {
 public:
  explicit RelayFlow(ApplicationParameters const& p) : p_(p) {}

  void begin(FlowSink& sink) override {
    pass_ = sink.add_kernel(relay_kernels(p_).front());
    for (int m = 0; m < p_.nt; ++m) sink.add_handle({.size = tile_bytes(p_), .m = m, .n = 0});
  }
  [[nodiscard]] int rounds() const override { return static_cast<int>(rounds_of(p_)); }
  void submit_round(FlowSink& sink, int round) override {
    for (int m = 0; m < p_.nt; ++m)
      sink.submit(pass_, 0, {round, m, 0},
                  {{HandleId{m}, Access::read_write}, {HandleId{(m + p_.nt - 1) % p_.nt}, Access::read}});
  }

 private:
  ApplicationParameters const& p_;
  KernelId pass_;
};

class Relay final : public Application {
 public:
  Relay() : Application({.name = "relay", .variants = {"only"}, .keys = relay_keys()}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p, TileMap const&) const override {
    return std::make_unique<RelayFlow>(p);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override {
    return relay_kernels(p);
  }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return {relay_kernels(p), {TaskKind::update}};
  }
  Flops total_flops(ApplicationParameters const& p) const override {
    return {max_tasks(p) * relay_kernels(p).front().flops.value};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    return static_cast<double>(p.nt) * static_cast<double>(rounds_of(p));
  }
};

/// All that the registry needs of it.
std::unique_ptr<Application const> relay_application() { return std::make_unique<Relay>(); }

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
    CHECK(testing::contains(message("/application/rounds=1001"), "#/application/rounds: "));
    CHECK(testing::contains(message("/application/tree=flat"), "#/application/tree: unknown key"));
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
