#include "simulator/solver/linear_solver.hpp"

#include "simulator/os/module.hpp"

namespace factosim {

int LinearProblem::column(double cost_of_column, double lower_bound) {
  cost.push_back(cost_of_column);
  lower.push_back(lower_bound);
  return static_cast<int>(cost.size()) - 1;
}

void LinearProblem::add(int column, double factor) {
  columns.push_back(column);
  factors.push_back(factor);
}

int LinearProblem::row(double low, double high) {
  row_lower.push_back(low);
  row_upper.push_back(high);
  int const number = static_cast<int>(row_lower.size()) - 1;
  rows.resize(columns.size(), number);
  return number;
}

void LinearProblem::add(int row, int column, double factor) {
  rows.push_back(row);
  add(column, factor);
}

std::optional<LinearSolution> solve(LinearProblem const& program, SimplexMethod method) {
  constexpr Module clp{.file = "factosim_clp.so",
                       .feature = "a linear program, such as that of the area bound",
                       .packages = "coinor-libclp-dev"};
  static auto const& loaded = *static_cast<LinearSolver const*>(load_module(clp));
  return loaded.solve(program, method);
}

}  // namespace factosim
