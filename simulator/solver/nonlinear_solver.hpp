#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "simulator/solver/nonlinear_program.hpp"

namespace factosim {

struct NonlinearOptions {
  double tolerance = 1e-8;
  std::optional<int> max_iterations = {};
  std::optional<double> initial_barrier = {};
  bool adaptive_barrier = false;  // instead of one that only falls
};

struct NonlinearSolution {
  std::vector<double> x;  // the last point; empty if the solver found none
  bool converged = false;
  int iterations = 0;
};

/// Solves programs one after the other with the same options.
class NonlinearSolver {
 public:
  virtual ~NonlinearSolver() = default;
  [[nodiscard]] virtual NonlinearSolution solve(NonlinearProgram const& program) = 0;
};

/// Makes a solver by Ipopt: an interior point method with a filter line search. Source: Wächter, Biegler,
/// Mathematical Programming 106(1), 2006. Throws InputError if Ipopt's module is not installed.
[[nodiscard]] std::unique_ptr<NonlinearSolver> make_nonlinear_solver(NonlinearOptions const& options);

/// Interface of the Ipopt module.
class NonlinearSolvers {
 public:
  virtual ~NonlinearSolvers() = default;
  [[nodiscard]] virtual std::unique_ptr<NonlinearSolver> make(NonlinearOptions const& options) const = 0;
};

}  // namespace factosim
