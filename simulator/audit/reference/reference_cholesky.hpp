#pragma once

#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

/// Right-looking tile Cholesky of the lower triangle:
///
///   potrf(k)       after syrk(k-1, k)
///   trsm(k, m)     after potrf(k), gemm(k-1, m, k)
///   syrk(k, n)     after trsm(k, n), syrk(k-1, n)
///   gemm(k, m, n)  after trsm(k, m), trsm(k, n), gemm(k-1, m, n)
///
/// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009, section 3.
struct ReferenceCholesky {
  int nt = 0;
  std::int32_t potrf = 0;          // number of the first kernel; trsm, syrk and gemm follow
  std::int32_t first_writer = -1;  // kernel that writes all tiles before, with indices (0, m, n); -1: none
  bool equations = false;          // priorities by the equations of ICPP 2021 instead of Chameleon's
  bool flushes_diagonal = false;   // trsm drops the received diagonal tile
  std::int32_t iteration = 0;
  std::string_view phase = {};

  void submit(ReferenceSink& sink) const;

  /// The task that last writes tile (m, n) before iteration k of the factorization.
  [[nodiscard]] std::optional<TaskName> last_writer(int k, int m, int n) const {
    if (k > 0) return TaskName{potrf + (m == n ? 2 : 3), k - 1, m, n, iteration};
    if (first_writer >= 0) return TaskName{first_writer, 0, m, n, iteration};
    return std::nullopt;
  }
  [[nodiscard]] int priority(int k, int m, int n) const;
};

}  // namespace factosim::audit
