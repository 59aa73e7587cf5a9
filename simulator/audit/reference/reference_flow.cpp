#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

std::optional<Reference> reference_of(ReferenceProblem const& problem, TileMap const& map) {
  if (problem.application == "lu") return reference_lu(problem);
  if (problem.application == "cholesky") return reference_cholesky(problem, map);
  if (problem.application == "qr") return reference_qr(problem, map);
  if (problem.application == "gemm") return reference_gemm(problem);
  if (problem.application == "exageostat") return reference_exageostat(problem, map);
  return std::nullopt;
}

}  // namespace factosim::audit
