// Another project that simulates a scenario through the installed libraries.

#include <cstdio>

#include "simulator/simulation/simulate.hpp"

int main(int, char** argv) {
  auto const scenario = factosim::read_scenario(argv[1], {"/network/model=maxmin", "/application/nt=5"});
  auto const result = factosim::simulate(scenario, factosim::prepare(scenario), nullptr, {});
  std::printf("%.3f s\n", result.makespan.value);
  return result.tasks == 55 ? 0 : 1;  // 5 getrf, 20 trsm, 30 gemm
}
