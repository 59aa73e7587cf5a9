#pragma once

#include <memory>
#include <optional>
#include <span>

#include "simulator/balance/equal_time.hpp"

namespace factosim {

/// The system as a square problem of Ipopt: no objective, n + 1 equations, n sizes and T.
class EqualTimeSolver::Ipopt {
 public:
  Ipopt();
  ~Ipopt();

  /// Nothing where Ipopt reports a failure. All workers can have a block in the solution.
  [[nodiscard]] std::optional<EqualTimeSolution> solve(std::span<EqualTimeWorker const> workers, double work);

 private:
  struct Application;
  std::unique_ptr<Application> application_;
};

}  // namespace factosim
