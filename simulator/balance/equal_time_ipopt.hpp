#pragma once

#include <memory>
#include <optional>
#include <span>

#include "simulator/balance/equal_time_problem.hpp"

namespace factosim {

/// Solves the equal-time system as a square problem of Ipopt: no objective, n + 1 equations, n sizes and T.
class EqualTimeIpopt {
 public:
  EqualTimeIpopt();
  ~EqualTimeIpopt();

  /// Returns nothing if Ipopt reports a failure. Every worker must be able to have a block in the solution.
  [[nodiscard]] std::optional<EqualTimeSolution> solve(std::span<EqualTimeWorker const> workers, double work);

 private:
  struct Application;  // keeps Ipopt's headers out of this one
  std::unique_ptr<Application> application_;
};

}  // namespace factosim
