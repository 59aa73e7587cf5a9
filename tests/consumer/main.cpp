// Another project that simulates a scenario through the installed libraries.

#include <cstdio>

#include "simulator/simulation/run.hpp"

int main(int, char** argv) {
  auto const plan = factosim::plan_simulation(
      factosim::read_scenario(argv[1], {"/network/model=maxmin", "/application/nt=5"}));
  auto const result = factosim::run_plan(plan).json;
  std::printf("%.3f s\n", result["makespan_s"].get<double>());
  return result["tasks"] == 55 ? 0 : 1;  // 5 getrf, 20 trsm, 30 gemm
}
