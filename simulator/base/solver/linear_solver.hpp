#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace factosim {

/// Minimises the sum of cost x over the columns, where lower <= x, and each row of A x is within its bounds.
class LinearProblem {
 public:
  static constexpr double unbounded = std::numeric_limits<double>::max();  // Clp's infinity

  /// Returns the number of the new column.
  int column(double cost, double lower = 0);
  /// Adds `factor` times the column to the next row.
  void add(int column, double factor);
  /// Ends a row: low <= sum of the terms added since the last row <= high. Returns its number.
  int row(double low, double high);
  /// Adds `factor` times the column to a row that has ended.
  void add(int row, int column, double factor);

  std::vector<double> cost, lower;           // [columns]
  std::vector<double> row_lower, row_upper;  // [rows]
  std::vector<int> rows, columns;            // [entries]
  std::vector<double> factors;               // [entries]
};

struct LinearSolution {
  std::vector<double> x;          // [columns]
  std::vector<double> row_price;  // [rows] the dual solution, with Clp's signs
};

enum class SimplexMethod : std::uint8_t { primal, dual };

/// Solves a linear program by Clp; nothing if no optimum was found. Throws InputError if Clp's module cannot be
/// loaded.
[[nodiscard]] std::optional<LinearSolution> solve(LinearProblem const& program, SimplexMethod method);

/// Loads Clp's module, so that processes which are started later have it.
void preload_linear_solver();

/// Solves a linear program whose rows are all equations, to the precision of doubles: Clp ends at absolute tolerances of
/// 1e-7. Nothing if Clp finds no optimum of the program itself.
/// Source: iterative refinement, Gleixner, Steffy, Wolter, INFORMS Journal on Computing 28(3), 2016, algorithm 1: solves the
/// program again for the residuals of both the solution and its prices, magnified, and adds what it finds.
[[nodiscard]] std::optional<LinearSolution> solve_precisely(LinearProblem const& program,
                                                            SimplexMethod method);

/// Interface of the Clp module.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  [[nodiscard]] virtual std::optional<LinearSolution> solve(LinearProblem const& program,
                                                            SimplexMethod method) const = 0;
};

}  // namespace factosim
