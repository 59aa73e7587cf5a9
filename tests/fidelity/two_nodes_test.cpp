// LU over two nodes in column-cyclic order: a real run over MPI and a published run of StarPU-SimGrid,
// replayed with the durations of their traces.

#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;

namespace {

json two_nodes(std::string const& scenario) {
  auto const file = testing::repository() / "tests/fidelity/two_nodes" / scenario;
  return testing::json_of("run '" + file.string() + "' --json");
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("a real run of StarPU-MPI over two processes: messages exactly and makespan within 10 percent") {
    constexpr double measured = 0.4668139;  // seconds, from the first start to the last end of a task
    json const result = two_nodes("real.json");
    CHECK(result["tiles_sent"] == 54);
    double const error = result["makespan_s"].get<double>() / measured - 1;
    MESSAGE("error % " << 100 * error);
    CHECK(std::abs(error) < 0.10);
  }

  TEST_CASE(
      "the sample trace of StarVZ with two nodes of 19 cores: messages exactly and makespan within 3 "
      "percent") {
    // Its 1361.0 ms begin with two rounds of tasks that generate the matrix, until 10.973 ms.
    constexpr double whole = 1.36103376, generation = 0.010973356;  // seconds
    json const result = two_nodes("simulated.json");
    CHECK(result["tiles_sent"] == 35);
    double const error = (result["makespan_s"].get<double>() + generation) / whole - 1;
    MESSAGE("error % " << 100 * error);
    CHECK(std::abs(error) < 0.03);
  }
}
