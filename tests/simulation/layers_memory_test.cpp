// Partial sums of layers take memory: runs whose sums do not fit are refused.

#include "factosim/scenario_document.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using nlohmann::json;

namespace {

constexpr int nb = 100;
constexpr std::int64_t tile_bytes = 8LL * nb * nb;

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
  TEST_CASE("layers run in the memory that they use and are refused with a byte less") {
    constexpr std::int64_t plenty = std::int64_t{1} << 40;
    json const flat = {{"type", "block-cyclic"}, {"p", 2}, {"q", 2}};
    json const layers = {
        {"type", "layers"}, {"layers", 2}, {"layer", {{"type", "block-cyclic"}, {"p", 1}, {"q", 2}}}};
    for (char const* const application : {"lu", "cholesky"}) {
      CAPTURE(application);
      std::int64_t const of_flat = peak_memory(application, flat, plenty);
      std::int64_t const of_layers = peak_memory(application, layers, plenty);
      CHECK(of_layers % tile_bytes == 0);
      CHECK(of_layers > of_flat);
      CHECK(peak_memory(application, flat, of_layers - 1) == of_flat);
      CHECK(peak_memory(application, layers, of_layers) == of_layers);
      CHECK_THROWS_AS((void)peak_memory(application, layers, of_layers - 1), InfeasibleError);
    }
  }
}
