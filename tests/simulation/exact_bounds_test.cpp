#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

/// Runs gemm of `nt` tiles on one core, without costs of the runtime system, and audits the run.
struct OneCore {
  double makespan, area_bound;
  int checked;
};

OneCore one_core(std::string const& cycle_time, int nt) {
  testing::TemporaryFolder const folder;
  folder.write("platform.json", fmt::format(R"({{"format": "factosim-platform", "version": 1, "node_types":
    {{"one": {{"cores": 1, "cycle_time_s": {}, "nic": {{"bandwidth_Bps": 1e9, "latency_s": 0}}}}}},
    "network": {{}}, "nodes": [{{"type": "one", "count": 1}}]}})",
                                            cycle_time));
  folder.write("s.json",
               fmt::format(R"({{"format": "factosim-scenario", "version": 1, "platform": "platform.json",
    "application": {{"type": "gemm", "nt": {}, "nb": 8}}, "network": {{"model": "maxmin"}}, "runtime":
    {{"submission_cost_s": 0, "push_cost_s": 0, "fetch_cost_s": 0, "progress_cost_s": 0, "wont_use_cost_s": 0}}}})",
                           nt));
  std::string const out = testing::quoted(folder / "out");
  auto const result = testing::json_of("run " + testing::quoted(folder / "s.json") + " --json --out " + out);
  return {result["makespan_s"], result["bounds"]["abe_s"], testing::run_factosim("check " + out).code};
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("one busy core ends exactly at its area bound whatever its kernels last") {
    for (std::string const cycle_time :
         {"0.0000123456784", "1.2e-7", "1e-10", "0.1", "4321.123456789", "3e7"}) {
      CAPTURE(cycle_time);
      OneCore const run = one_core(cycle_time, 20);
      CHECK(run.makespan == run.area_bound);
      CHECK(run.makespan == doctest::Approx(8000 * std::stod(cycle_time)).epsilon(1e-9));
      CHECK(run.checked == 0);
    }
  }
}
