#pragma once

#include "models/applications/application.hpp"

namespace factosim {

/// Tile Cholesky of the lower triangle: for each k, potrf of A(k,k), trsm of the column A(k+1:nt, k), then
/// column by column syrk of A(n,n) and gemm of A(n+1:nt, n). Priorities 2 nt - 2k (potrf), 2 nt - 2k - m
/// (trsm), 2 nt - 2k - n (syrk), 2 nt - 2k - m - n (gemm). Write-back hints for the diagonal tile after the
/// column, and for each tile of the column after its last read.
///
/// Variants "starpu" (examples/cholesky/cholesky_implicit.c) and "chameleon" (compute/pzpotrf.c, whose
/// data_flush is StarPU's wont_use on the owner) are the same. "starpu-mpi"
/// (mpi/examples/matrix_decomposition) flushes the diagonal tile from the cache of received data after each
/// trsm, so that it is sent once for each trsm elsewhere, and a node's trsm of one column run one after the
/// other.
TaskGraph build_cholesky(ApplicationParameters const& parameters);

/// potrf, trsm, syrk, gemm.
std::vector<Kernel> cholesky_kernels(ApplicationParameters const& parameters);

/// n^3 / 3 with n = nt nb.
Flops cholesky_flops(ApplicationParameters const& parameters);

}  // namespace factosim
