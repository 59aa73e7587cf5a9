// Runs with a deep pipeline of kernels on GPUs.

#include "factosim/scenario_document.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("property") {
  TEST_CASE("a driver finishes all kernels that ended while it was busy with a pipeline of three") {
    // Two kernels can end before the driver looks; only the second one's end would signal it.
    for (int seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      auto const document = read_scenario_document(
          testing::repository() / "scenarios/peer/cholesky_mirage.json",
          {"/application/nt=17", "/scheduler/type=eager", "/runtime/gpu_pipeline=3",
           "/noise/distribution=normal", "/network/model=maxmin", "/seed=" + std::to_string(seed)});
      CHECK(simulate(document)["tasks"] == 969);
    }
  }
}
