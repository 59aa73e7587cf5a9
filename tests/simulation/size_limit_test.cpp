// Estimates of a simulation's size, and the refusal of simulations that exceed the available memory.

#include "simulator/scenario/simulation/size_limit.hpp"

#include "factosim/scenario_document.hpp"
#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;

namespace {

TaskGraph graph_of(Application const& app, ApplicationParameters const& p) {
  std::vector<NodeId> owner;
  for (int i = 0; i < p.nt * p.nt; ++i) owner.emplace_back(i % 5);
  return app.graph(p, {.mt = p.nt, .nt = p.nt, .owner = owner});
}

constexpr int nb = 100;
constexpr std::int64_t bytes_of_tile = 8LL * nb * nb;

/// Returns the largest peak memory of four nodes with that RAM.
std::int64_t peak_memory(std::string const& application, json const& distribution, std::int64_t ram) {
  testing::TemporaryFolder const folder;
  json kernels = json::object();
  for (char const* const name : {"getrf", "potrf", "trsm", "syrk", "gemm"})
    kernels[name] = {
        {{"precision", "double"}, {"worker", "cpu"}, {"nb", nb}, {"mean_s", 1e-3}, {"deviation_s", 0}}};
  folder.write("kernels.json", json{{"format", "factosim-kernels"},
                                    {"version", 1},
                                    {"machine", "made up"},
                                    {"provenance", "made up"},
                                    {"estimate", true},
                                    {"kernels", kernels}}
                                   .dump());
  json const type = {{"cores", 5},
                     {"ram_bytes", ram},
                     {"kernels", "kernels.json"},
                     {"nic", {{"bandwidth_Bps", 1e9}, {"latency_s", 1e-6}}}};
  folder.write("platform.json", json{{"format", "factosim-platform"},
                                     {"version", 1},
                                     {"node_types", {{"node", type}}},
                                     {"network", json::object()},
                                     {"nodes", {{{"type", "node"}, {"count", 4}}}}}
                                    .dump());
  json const scenario = {
      {"format", "factosim-scenario"},   {"version", 1},
      {"platform", "platform.json"},     {"application", {{"type", application}, {"nt", 12}, {"nb", nb}}},
      {"distribution", distribution},    {"scheduler", {{"type", "prio"}}},
      {"network", {{"model", "maxmin"}}}};
  auto const result =
      simulate(ScenarioDocument{.file = folder.write("scenario.json", scenario.dump()), .json = scenario});
  std::int64_t most = 0;
  for (auto const& node : result["nodes"])
    most = std::max(most, node["peak_memory_bytes"].get<std::int64_t>());
  return most;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("closed forms of task counts are exact or upper bounds") {
    for (Application const& app : applications())
      for (int nt : {1, 2, 3, 7, 12})
        for (std::string const tree : {"flat", "binary", "nodes"}) {
          ApplicationParameters p{.nt = nt, .nb = 10, .variant = app.variants.front()};
          p.own_values = {{"tree", tree}, {"iterations", 2}};
          CAPTURE_ALL(app.name, nt, tree);
          auto const tasks = static_cast<double>(graph_of(app, p).task_count());
          bool const by_owner = app.name == "exageostat" || (app.name == "qr" && tree == "nodes");
          CHECK(app.max_tasks(p) >= tasks);
          if (!by_owner) CHECK(app.max_tasks(p) == tasks);
        }
  }

  TEST_CASE("too large a simulation is refused with its size and a remedy") {
    Scenario const s = read_scenario(testing::lille_scenario(), {"/application/nt=100"});
    CHECK(testing::message_of([&] { check_size(s, {.memory_bytes = 50'000'000}); }) ==
          testing::lille_scenario().string() +
              "#/application/nt: would take about 338350 tasks, 120 MB of memory and 2.03 s (50 MB are "
              "there for "
              "it). Use fewer tiles, a machine with more memory, or --force-large");
    CHECK_NOTHROW(check_size(s, {.memory_bytes = 50'000'000, .forced = true}));
    CHECK_NOTHROW(check_size(s, {.memory_bytes = 150'000'000}));
  }

  TEST_CASE("hours of SimGrid on a large network are announced") {
    auto const estimated = [](std::string const& model) {
      return simulation_work(
          read_scenario(testing::lille_scenario(),
                        {"/platform/nodes=[{\"type\":\"chetemi\",\"count\":2000}]", "/application/nt=300",
                         R"(/distribution={"type":"block-cyclic"})", "/network/model=" + model}));
    };
    WorkEstimate const maxmin = estimated("maxmin");
    CHECK(maxmin.sharing_s == 0);
    CHECK(!testing::contains(maxmin.description(), "SimGrid"));
    if (FACTOSIM_SIMGRID == 0) return;
    WorkEstimate const simgrid = estimated("simgrid");
    CHECK(simgrid.cpu_s == maxmin.cpu_s);
    CHECK(
        testing::contains(simgrid.description(), ", and up to 2.8 hours for SimGrid if the network limits"));
  }

  TEST_CASE("task counts beyond the ids are refused even by force") {
    Scenario const s = read_scenario(testing::lille_scenario(), {"/application/nt=5000"});
    CHECK(testing::message_of([&] { (void)plan_simulation(s, {.forced = true}); }) ==
          testing::lille_scenario().string() +
              "#/application/nt: makes 41.7 thousand million tasks (more than 1.4 thousand million cannot be "
              "numbered). Use fewer tiles");
  }

  TEST_CASE("more kernels than can be numbered are refused") {
    // Each tile has a rank of its own, and thus a trsm and a syrk; and conversions, for readers in another precision.
    constexpr int nt = 210;
    auto formats = std::make_shared<TileFormats>();
    for (int m = 0, rank = 0; m < nt; ++m)
      for (int n = 0; n <= m; ++n)
        formats->formats.push_back(
            {.precision = n % 2 == 0 ? Precision::double_ : Precision::single_, .rank = m == n ? 0 : ++rank});
    ApplicationParameters p{.nt = nt, .nb = 50'000, .variant = "starpu"};
    p.formats = formats;
    Application const& cholesky = application("cholesky");
    CHECK(cholesky.kernels(p).size() > 65'535);
    std::string const message =
        testing::message_of([&] { check_size(cholesky, p, {.forced = true}, "s.json"); });
    CHECK(message.starts_with("s.json#/application/tile_formats: makes "));
    CHECK(
        message.ends_with("kernels for tiles of 21946 ranks (more than 65535 cannot be numbered). Round "
                          "ranks up to fewer values"));
    for (TileFormat& format : formats->formats) format.rank = format.rank > 0 ? 100 : 0;
    CHECK_NOTHROW(check_size(cholesky, p, {.forced = true}, "s.json"));
  }

  TEST_CASE("too many nodes are refused at the platform") {
    Scenario const s = read_scenario(testing::lille_scenario(),
                                     {"/platform/nodes=[{\"type\":\"chetemi\",\"count\":1000000}]",
                                      "/application/nt=2", R"(/distribution={"type":"block-cyclic"})"});
    CHECK(testing::contains(testing::message_of([&] { check_size(s, {.memory_bytes = 4'000'000'000}); }),
                            "lille/block_cyclic_2x11.json#/platform: "));
  }

  TEST_CASE("a single job always fits and a job that does not fit beside others waits") {
    MemoryBudget budget(1'000'000'000);
    CHECK(budget.fits(1e9));
    budget.started(0, 1e6);  // estimated at more than half
    CHECK_FALSE(budget.fits(1e6));
    budget.ended(0, 0);
    CHECK(budget.fits(1e6));
  }

  TEST_CASE("the estimate is learned from finished simulations") {
    MemoryBudget budget(1'000'000'000);
    budget.started(0, 1e6);
    budget.ended(0, 132'000'000);  // 100 bytes per task
    budget.started(1, 1e6);
    CHECK(budget.fits(1e6));
    CHECK(budget.guess(1e6) == doctest::Approx(32e6 + 130e6));
    budget.ended(1, 532'000'000);
    CHECK(budget.guess(1e6) > 500e6);
  }

  TEST_CASE("available memory is detected") { CHECK(available_memory_bytes() > 1'000'000); }

  TEST_CASE("layers run in the memory that they use and are refused with a byte less") {
    constexpr std::int64_t plenty = std::int64_t{1} << 40;
    json const flat = {{"type", "block-cyclic"}, {"p", 2}, {"q", 2}};
    json const layers = {
        {"type", "layers"}, {"layers", 2}, {"layer", {{"type", "block-cyclic"}, {"p", 1}, {"q", 2}}}};
    for (char const* const application : {"lu", "cholesky"}) {
      CAPTURE(application);
      std::int64_t const of_flat = peak_memory(application, flat, plenty);
      std::int64_t const of_layers = peak_memory(application, layers, plenty);
      CHECK(of_layers % bytes_of_tile == 0);
      CHECK(of_layers > of_flat);
      CHECK(peak_memory(application, flat, of_layers - 1) == of_flat);
      CHECK(peak_memory(application, layers, of_layers) == of_layers);
      CHECK_THROWS_AS((void)peak_memory(application, layers, of_layers - 1), InfeasibleError);
    }
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("run and bounds and distribute refuse scenarios beyond the memory") {
    if (testing::sanitized) return;
    std::string const stored = " --set /application/task_graph=stored";
    std::string const qr = " --set '/application={\"type\":\"qr\",\"nb\":960,\"nt\":500}'";
    for (auto const& [command, more] :
         {std::pair<std::string, std::string>{"run", stored}, {"bounds", stored}, {"distribute", qr}}) {
      CAPTURE(command);
      auto const refused = testing::run_script("ulimit -v 3000000\n\"$1\" " + command + " " +
                                               testing::quoted(testing::lille_scenario()) +
                                               " --set /application/nt=500" + more + "\n");
      CHECK(refused.code == 2);
      CHECK(refused.out.empty());
      CHECK(testing::contains(refused.err, "#/application/nt: would take about 41.8 million tasks"));
      CHECK(testing::contains(refused.err, "or --force-large"));
    }
  }

  TEST_CASE("the estimate is near the memory of a run") {
    auto const result = testing::json_of("run " + testing::quoted(testing::lille_scenario()) + " --json");
    WorkEstimate const estimate = simulation_work(read_scenario(testing::lille_scenario(), {}));
    CHECK(estimate.count == result["tasks"].get<double>());
    if (testing::sanitized) return;  // which use memory themselves
    double const peak = result["simulation"]["peak_rss_bytes"].get<double>();
    CHECK(estimate.memory_bytes > 0.7 * peak);  // an estimate far too low would let the process be killed
    CHECK(estimate.memory_bytes < 2 * peak);
  }
}
