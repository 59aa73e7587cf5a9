// Reads a scenario, changes it, simulates it and reads the result: changed_scenario SCENARIO [NETWORK_MODEL]

#include <cstdio>
#include <exception>
#include <factosim/network_model.hpp>
#include <factosim/scenario_document.hpp>
#include <string>

int main(int count, char** arguments) {
  try {
    factosim::ScenarioDocument scenario =
        factosim::read_scenario_document(arguments[1], {"/application/nt=5"});
    scenario.json["network"]["model"] =
        count > 2 ? arguments[2] : std::string(name_of(factosim::default_network_model()));
    auto const result = simulate(scenario);
    std::printf("%.3f s\n", result["makespan_s"].get<double>());
    return result["tasks"] == 55 ? 0 : 1;  // 5 getrf, 20 trsm, 30 gemm
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
