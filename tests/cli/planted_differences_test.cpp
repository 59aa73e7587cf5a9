// One difference is planted into each pair of simulations: the comparison names its cause.

#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;
using testing::quoted;
using testing::TemporaryFolder;

namespace {

/// Pairs of runs in one folder; runs of one scenario are simulated once.
class PlantedPairs {
 public:
  /// Compares a scenario with another one. `with_results`: the comparison sees the options of both; otherwise
  /// only the traces.
  json compared(json const& a, json const& b, bool with_results = true) {
    std::filesystem::path const run_a = run(a), run_b = run(b);
    std::string const a_path = quoted(with_results ? run_a : trace_alone(run_a));
    std::string const b_path = quoted(with_results ? run_b : trace_alone(run_b));
    return testing::json_of("compare " + a_path + " " + b_path + " --json --no-simulation");
  }

  /// Writes the machines of a scenario, changed, and returns the scenario with them.
  json with_machines(json scenario, std::function<void(json& type, json& kernels)> const& change) {
    std::filesystem::path const shipped = scenario["platform"]["file"].get<std::string>();
    json platform = json::parse(testing::text_of(shipped));
    if (scenario["platform"].contains("nodes")) platform["nodes"] = scenario["platform"]["nodes"];
    std::string const place = "machines" + std::to_string(++machines_) + "/";
    for (auto& [name, type] : platform["node_types"].items()) {
      json kernels =
          json::parse(testing::text_of(shipped.parent_path() / type["kernels"].get<std::string>()));
      change(type, kernels);
      type["kernels"] = folder_.write(place + name + ".json", kernels.dump()).string();
    }
    scenario["platform"] = folder_.write(place + "platform.json", platform.dump()).string();
    return scenario;
  }

 private:
  std::filesystem::path run(json const& scenario) {
    std::string const text = scenario.dump();
    for (std::size_t i = 0; i < simulated_.size(); ++i)
      if (simulated_[i] == text) return folder_ / ("run" + std::to_string(i));
    std::string const name = "run" + std::to_string(simulated_.size());
    simulated_.push_back(text);
    auto const file = folder_.write(name + ".json", text);
    testing::ProgramRun const made =
        testing::run_factosim("run " + quoted(file) + " --out " + quoted(folder_ / name));
    REQUIRE_MESSAGE(made.code == 0, made.err);
    return folder_ / name;
  }

  static std::filesystem::path trace_alone(std::filesystem::path const& run) {
    std::filesystem::path const alone = run / "alone/own.trace";
    std::filesystem::create_directories(alone.parent_path());
    if (!std::filesystem::exists(alone)) std::filesystem::copy_file(run / "run.trace", alone);
    return alone;
  }

  TemporaryFolder folder_;
  std::vector<std::string> simulated_;
  int machines_ = 0;
};

json scenario(std::string const& application, int nt, std::string const& platform, json const& nodes = {},
              std::string const& policy = "dmdas") {
  json out = {{"format", "factosim-scenario"},
              {"version", 1},
              {"name", "planted"},
              {"platform", {{"file", (testing::repository() / "platforms" / (platform + ".json")).string()}}},
              {"application", {{"type", application}, {"nt", nt}, {"nb", application == "qr" ? 1600 : 960}}},
              {"scheduler", {{"type", policy}}},
              {"outputs", {{"trace", true}}}};
  if (!nodes.is_null()) out["platform"]["nodes"] = nodes;
  return out;
}

// Four nodes of cores; two of cores and two with GPUs; one node with GPUs, and its cores alone.
json cores(std::string const& application, int nt = 14, std::string const& policy = "dmdas") {
  return scenario(application, nt, "lille", {{{"type", "chetemi"}, {"count", 4}}}, policy);
}
json mixed(std::string const& application, int nt = 14) {
  return scenario(application, nt, "lille",
                  {{{"type", "chetemi"}, {"count", 2}}, {{"type", "chifflet"}, {"count", 2}}});
}
json mirage(std::string const& application, int nt = 14, std::string const& policy = "dmdas") {
  return scenario(application, nt, "mirage", {}, policy);
}
json sirocco(int nodes = 1, int nt = 10) {
  return scenario("qr", nt, "sirocco-v100", {{{"type", "sirocco-v100"}, {"count", nodes}}});
}
json with(json scenario, std::string const& pointer, json const& value) {
  scenario[json::json_pointer(pointer)] = value;
  return scenario;
}
json mirage_cores(std::string const& application, int nt = 12, std::string const& policy = "lws") {
  return with(mirage(application, nt, policy), "/runtime/max_gpus", 0);
}
json sirocco_cores(int nodes, int nt = 8, int reserved = 0) {
  return with(sirocco(nodes, nt), "/runtime", {{"max_gpus", 0}, {"reserved_cores", reserved}});
}

/// Multiplies the durations of a kernel, or of all (""), and returns the kernels.
void slow_down(json& kernels, std::string const& kernel, double factor) {
  for (auto& [name, timings] : kernels["kernels"].items()) {
    if (!name.starts_with(kernel)) continue;
    for (json& timing : timings) {
      if (timing.contains("mean_s")) timing["mean_s"] = factor * timing["mean_s"].get<double>();
      if (timing.contains("flops_per_second"))
        timing["flops_per_second"] = timing["flops_per_second"].get<double>() / factor;
    }
  }
}

/// Checks that the parts add up and that the planted cause is the main one, in the direction of the change.
void check_cause(json const& comparison, std::string const& cause) {
  double sum = 0;
  for (json const& part : comparison["causes"]["parts"]) sum += part["seconds"].get<double>();
  double const difference = comparison["makespan"]["difference_s"];
  REQUIRE(std::abs(comparison["makespan"]["relative"].get<double>()) > 0.01);
  CHECK(std::abs(sum - difference) <= 1e-9 * comparison["makespan"]["a_s"].get<double>());
  CHECK(testing::contains(cause, comparison["causes"]["main"].get<std::string>()));
}

/// A scenario and an option of the second run.
struct PlantedOption {
  json scenario;
  std::string pointer;
  json value;
};

/// All pairs of this file: scenarios that several of them have are simulated once.
PlantedPairs& all_pairs() {
  static PlantedPairs pairs;
  return pairs;
}

/// Checks that changed machines are the cause, with the options of both runs and without.
void check_machines(json const& scenario, std::function<void(json& type, json& kernels)> const& change,
                    std::string const& cause) {
  CAPTURE(scenario.dump());
  json const changed = all_pairs().with_machines(scenario, change);
  for (bool const with_results : {true, false}) {
    CAPTURE(with_results);
    check_cause(all_pairs().compared(scenario, changed, with_results), cause);
  }
}

void check_options(std::vector<PlantedOption> const& planted, std::string const& cause,
                   std::vector<bool> const& all_with_results = {true, false}) {
  for (bool const with_results : all_with_results)
    for (auto const& [scenario, pointer, value] : planted) {
      CAPTURE_ALL(scenario.dump(), pointer, value.dump(), with_results);
      json const comparison = all_pairs().compared(scenario, with(scenario, pointer, value), with_results);
      check_cause(comparison, cause);
      if (with_results) CHECK(!comparison["causes"]["known"]["options"].empty());
    }
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a slower network is attributed to messages") {
    std::string const bandwidth = "/network/nic/bandwidth_Bps", latency = "/network/nic/latency_s";
    check_options({{cores("lu"), bandwidth, 2e8},
                   {cores("cholesky", 16), bandwidth, 1e8},
                   {cores("lu", 14, "lws"), bandwidth, 3e8},
                   {mixed("lu"), bandwidth, 2e8},
                   {sirocco(4), bandwidth, 5e8},
                   {sirocco_cores(4), bandwidth, 1e8},
                   {cores("lu"), latency, 5e-3},
                   {cores("cholesky", 16), "/network/backbone", {{"bandwidth_Bps", 2e8}}}},
                  "messages");
  }

  TEST_CASE("slower kernels are attributed to kernels") {
    struct Slower {
      json scenario;
      std::string kernel;
      double factor;
    };
    for (auto const& [scenario, kernel, factor] :
         {Slower{cores("lu"), "gemm", 1.3}, Slower{cores("cholesky", 16), "", 1.5},
          Slower{cores("cholesky", 16), "potrf", 6}, Slower{mirage_cores("lu"), "gemm", 1.1},
          Slower{mirage_cores("cholesky"), "", 1.2}, Slower{mirage("cholesky"), "gemm", 1.3},
          Slower{mirage("lu"), "", 0.8}, Slower{sirocco(), "", 1.3}, Slower{sirocco_cores(4), "tpmqrt", 1.4}})
      check_machines(
          scenario, [&](json&, json& kernels) { slow_down(kernels, kernel, factor); }, "kernels");
  }

  TEST_CASE("one slow node is attributed to kernels") {
    for (std::string const application : {"lu", "cholesky"}) {
      // Two types of nodes, of which only that of the last node becomes slower.
      json two_types = with(cores(application, 16), "/platform/nodes",
                            {{{"type", "chetemi"}, {"count", 3}}, {{"type", "chifflet"}, {"count", 1}}});
      two_types["runtime"]["max_gpus"] = 0;
      auto const change = [](json&, json& kernels) {
        if (kernels["machine"] == "chifflet") slow_down(kernels, "", 2.5);
      };
      check_machines(two_types, change, "kernels");
    }
  }

  TEST_CASE("another share of the tiles is attributed to the load balance between nodes") {
    auto const uneven = [](std::size_t nodes) {
      std::vector<int> speeds(nodes, 1);
      speeds[0] = 3;
      return json{{"type", "1d1d"}, {"speeds", speeds}};
    };
    check_options({{mixed("lu"), "/distribution", {{"type", "1d1d"}}},
                   {mixed("lu", 18), "/distribution", {{"type", "1d1d-c"}}},
                   {mixed("cholesky", 18), "/distribution", {{"type", "1d1d"}}},
                   {cores("lu", 20), "/distribution", uneven(4)},
                   {cores("cholesky", 20), "/distribution", uneven(4)},
                   {sirocco_cores(2, 10, 30), "/distribution", uneven(2)}},
                  "load balance between nodes");
  }

  TEST_CASE("fewer workers are attributed to the load balance within a node") {
    check_options({{cores("lu"), "/runtime/reserved_cores", 12},
                   {cores("cholesky", 18), "/runtime/reserved_cores", 10},
                   {mirage_cores("lu"), "/runtime/reserved_cores", 3},
                   {mirage("cholesky"), "/runtime/max_gpus", 2},
                   {mirage("lu"), "/runtime/max_gpus", 1},
                   {sirocco(1, 12), "/runtime/max_gpus", 1}},
                  "load balance within a node");
  }

  TEST_CASE("a lost core of one node is attributed to the load balance within a node") {
    json const two_types = with(cores("lu", 14), "/platform/nodes",
                                {{{"type", "chetemi"}, {"count", 3}}, {{"type", "chifflet"}, {"count", 1}}});
    auto const change = [](json& type, json& kernels) {
      if (kernels["machine"] == "chetemi") type["cores"] = 9;
    };
    check_machines(two_types, change, "load balance within a node");
  }

  TEST_CASE("another policy is attributed to the order of tasks") {
    std::string const policy = "/scheduler/type";
    check_options({{mirage("lu"), policy, "eager"},
                   {mirage("lu"), policy, "dmda"},
                   {mirage("cholesky"), policy, "random"},
                   {mirage("cholesky"), policy, "lws"},
                   {mirage_cores("lu"), policy, "random"},
                   {mirage_cores("cholesky", 14), policy, "dmdas"},
                   {cores("cholesky", 20), policy, "eager"},
                   {cores("lu"), policy, "random"},
                   {mixed("lu"), policy, "lws"},
                   {sirocco(), policy, "eager"}},
                  "order of tasks", {true});
    // Without their options: where the order does not delay messages.
    check_options({{mirage("lu"), policy, "dmda"},
                   {mirage("cholesky"), policy, "random"},
                   {mirage_cores("lu"), policy, "random"},
                   {sirocco_cores(2, 10, 30), policy, "random"},
                   {cores("lu", 16), policy, "random"}},
                  "order of tasks", {false});
  }

  TEST_CASE("costs of the runtime system are attributed to its overhead") {
    check_options({{mirage("lu"), "/runtime/submission_cost_s", 5e-3},
                   {cores("lu"), "/runtime/submission_cost_s", 2e-3},
                   {mirage_cores("cholesky"), "/runtime/submission_cost_s", 3e-2},
                   {sirocco(), "/runtime/submission_cost_s", 2e-2},
                   {mirage_cores("lu"), "/runtime/fetch_cost_s", 1e-2},
                   {mirage_cores("cholesky"), "/runtime/push_cost_s", 1e-2}},
                  "runtime overhead");
  }

  TEST_CASE("a slower bus or less memory is attributed to copies") {
    auto const slow_bus = [](json& type, json&) {
      for (json& link : type["bus"]["links"])
        link["bandwidth_Bps"] = 0.1 * link["bandwidth_Bps"].get<double>();
    };
    auto const small_memory = [](json& type, json&) {
      for (json& gpu : type["gpus"]) gpu["memory_bytes"] = 150'000'000;
    };
    for (json const& scenario : {mirage("lu"), mirage("cholesky"), sirocco()})
      check_machines(scenario, slow_bus, "copies");
    for (json const& scenario : {mirage("lu"), mirage("cholesky")})
      check_machines(scenario, small_memory, "copies");
    check_options({{mirage("lu"), "/runtime/gpu_memory_fraction", 0.03}}, "copies", {true});
  }

  TEST_CASE("noise is attributed to kernels or to their deviations") {
    json const cores_of_mirage = with(mirage("lu"), "/runtime/max_gpus", 0);
    json const one_core = with(mirage("lu", 10), "/runtime", {{"max_gpus", 0}, {"reserved_cores", 11}});
    check_options({{one_core, "/noise", {{"distribution", "lognormal"}, {"scale", 60}}},
                   {cores_of_mirage, "/noise", {{"worker_speed_deviation", 0.3}}},
                   {cores_of_mirage, "/noise", {{"first_execution_factor", 6}}},
                   {cores("lu"), "/noise", {{"worker_speed_deviation", 0.4}}}},
                  "kernels|deviations of single tasks", {true});
  }
}
