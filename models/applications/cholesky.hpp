#pragma once

#include <vector>

#include "models/applications/application.hpp"
#include "models/applications/cholesky_formats.hpp"

namespace factosim {

/// The tile Cholesky factorization, for every application that contains one. Tiles of the lower triangle are
/// the first handles of the flow, row after row.

/// Kernels potrf, trsm, syrk, gemm.
[[nodiscard]] std::vector<Kernel> cholesky_kernels(ApplicationParameters const& parameters);
/// The same kernels with the kinds of their tasks.
[[nodiscard]] FactorizationKernels cholesky_factorization_kernels(ApplicationParameters const& parameters);
/// nt (nt + 1) (nt + 2) / 6.
[[nodiscard]] double cholesky_task_count(int nt);

/// 2 nt - 2k (potrf), 2 nt - 2k - m (trsm), 2 nt - 2k - n (syrk), 2 nt - 2k - m - n (gemm).
[[nodiscard]] int cholesky_priority(int nt, TaskIndices const& task);

struct CholeskyKernels {
  KernelId potrf, trsm, syrk, gemm;
};

/// Options for the submission of the tasks of a factorization.
struct CholeskySubmission {
  int nt;
  CholeskyKernels kernels{};
  int (*priority)(int nt, TaskIndices const& task);
  bool flush_diagonal;                         // drop received copies of A(k,k) after each trsm
  bool uses_tiles_again;                       // later tasks use the tiles of a column that is finished
  FormattedCholesky const* formats = nullptr;  // null: all tiles are full, in one precision
};

/// Submits step k: potrf of A(k,k), trsm of the column A(k+1:nt, k), then column by column syrk of A(n,n) and gemm of
/// A(n+1:nt, n). Hints that A(k,k) may be written back after the column, and each tile of the column after its last
/// read. With formats, conversions follow the last write of a tile.
void submit_cholesky_step(FlowSink& sink, CholeskySubmission const& submission, int k);

}  // namespace factosim
