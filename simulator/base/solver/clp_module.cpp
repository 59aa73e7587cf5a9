// The module factosim_clp.so. Clp is a module since its utilities load a BLAS, which only large programs need.

#include <ClpFactorization.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include "simulator/base/os/module.hpp"
#include "simulator/base/solver/linear_solver.hpp"

namespace factosim {

namespace {

class ClpSolver final : public LinearSolver {
 public:
  [[nodiscard]] std::optional<LinearSolution> solve(LinearProblem const& p,
                                                    SimplexMethod method) const override {
    CoinPackedMatrix matrix(true, p.rows.data(), p.columns.data(), p.factors.data(),
                            static_cast<CoinBigIndex>(p.factors.size()));
    // Without factors the last rows and columns would be missing.
    matrix.setDimensions(static_cast<int>(p.row_lower.size()), static_cast<int>(p.cost.size()));
    ClpSimplex simplex;
    simplex.setLogLevel(0);
    simplex.loadProblem(matrix, p.lower.data(), nullptr, p.cost.data(), p.row_lower.data(),
                        p.row_upper.data());
    simplex.factorization()->setDenseThreshold(0);  // without BLAS, which hangs if it has no memory
    method == SimplexMethod::primal ? simplex.primal() : simplex.dual();
    if (!simplex.isProvenOptimal()) return std::nullopt;
    return LinearSolution{.x = {simplex.getColSolution(), simplex.getColSolution() + p.cost.size()},
                          .row_price = {simplex.getRowPrice(), simplex.getRowPrice() + p.row_lower.size()}};
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::LinearSolver, factosim::ClpSolver)
