#include "simulator/base/solver/nonlinear_solver.hpp"

#include "simulator/base/os/module.hpp"

namespace factosim {

NonlinearSolution solve(NonlinearProgram const& program, NonlinearOptions const& options) {
  constexpr Module ipopt{.file = "factosim_ipopt.so",
                         .feature = "the choice of a ring or of balanced blocks",
                         .packages = "coinor-libipopt-dev",
                         .blas_threads = 1};
  static auto const& loaded = *static_cast<NonlinearSolver const*>(load_module(ipopt));
  return loaded.solve(program, options);
}

}  // namespace factosim
