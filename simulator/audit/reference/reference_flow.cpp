#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

namespace {

std::optional<Reference> reference_on_one_layer(ReferenceProblem const& problem, TileMap const& map) {
  if (problem.application == "lu") return reference_lu(problem);
  if (problem.application == "cholesky") return reference_cholesky(problem, map);
  if (problem.application == "qr") return reference_qr(problem, map);
  if (problem.application == "gemm") return reference_gemm(problem);
  if (problem.application == "syrk") return reference_syrk(problem, map);
  if (problem.application == "exageostat") return reference_exageostat(problem, map);
  return std::nullopt;
}

}  // namespace

std::optional<Reference> reference_of(ReferenceProblem const& problem, TileMap const& map) {
  auto reference = reference_on_one_layer(problem, map);
  bool const is_product = problem.application == "gemm" || problem.application == "syrk";
  if (reference && map.has_layers()) reference = on_layers(std::move(*reference), problem, map, is_product);
  if (reference && is_nested(problem)) reference = nested(std::move(*reference), problem);
  return reference;
}

}  // namespace factosim::audit
