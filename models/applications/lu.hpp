#pragma once

#include "models/applications/application.hpp"

namespace factosim {

/// Tile LU without pivoting: for each k, getrf of A(k,k), trsm_ll of the row A(k, k+1:nt), trsm_ru of the
/// column A(k+1:nt, k), then gemm of every tile of the trailing submatrix.
///
/// Variant "starpu": as StarPU's examples/lu/xlu_implicit.c submits it. The two kinds of trsm alternate;
/// priorities 3 nt - 3k (getrf), 3 nt - (2k + i) (trsm), 3 nt - (k + i + j) (gemm); write-back hints for the
/// diagonal tile after the panels and for the panels after the updates. Variant "chameleon": as Chameleon's
/// pzgetrf_nopiv.c. The column, then the row; priorities 2 nt - 2k (getrf), 2 nt - 2k - m (column), 2 nt - 2k
/// - n (row), 2 nt - 2k - m - n (gemm); no hints.
TaskGraph build_lu(ApplicationParameters const& parameters);

/// 2 n^3 / 3 with n = nt nb.
Flops lu_flops(ApplicationParameters const& parameters);

}  // namespace factosim
