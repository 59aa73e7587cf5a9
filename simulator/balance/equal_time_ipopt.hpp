#pragma once

#include <memory>
#include <optional>
#include <span>

#include "simulator/balance/equal_time_problem.hpp"
#include "simulator/solver/nonlinear_solver.hpp"

namespace factosim {

/// The system as a square nonlinear program: no objective, n + 1 equations, n sizes and T.
class EqualTimeIpopt {
 public:
  EqualTimeIpopt();

  /// Returns nothing if Ipopt does not converge. Every worker must have a block in the solution.
  [[nodiscard]] std::optional<EqualTimeSolution> solve(std::span<EqualTimeWorker const> workers, double work);

 private:
  std::unique_ptr<NonlinearSolver> solver_;
};

}  // namespace factosim
