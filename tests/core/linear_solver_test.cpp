#include "simulator/base/solver/linear_solver.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("columns and rows without factors are part of a linear program") {
    LinearProblem program;
    int const bounded = program.column(1, 0);
    program.column(2, 3);  // in no row
    program.add(bounded, 2);
    program.row(4, LinearProblem::unbounded);
    program.row(-1, 1);  // without terms
    for (SimplexMethod const method : {SimplexMethod::primal, SimplexMethod::dual}) {
      auto const solution = solve(program, method);
      REQUIRE(solution);
      CHECK(solution->x == std::vector<double>{2, 3});
      CHECK(solution->row_price.size() == 2);
      CHECK(solution->row_price[1] == 0);
    }
  }
}
