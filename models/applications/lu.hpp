#pragma once

#include "models/applications/application.hpp"

namespace factosim {

/// Tile LU without pivoting: for each k, getrf of A(k,k), trsm_ll of the row A(k, k+1:nt), trsm_ru of the
/// column A(k+1:nt, k), and gemm of every tile of the trailing submatrix. Once the diagonal tile and the
/// panels are read for the last time, both variants hint that they may be written back.
///
/// Variant "starpu": as StarPU's examples/lu/xlu_implicit.c submits it. The two kinds of trsm alternate, then
/// come the gemms row by row; priorities 3 nt - 3k (getrf), 3 nt - (2k + i) (trsm), 3 nt - (k + i + j)
/// (gemm).
///
/// Variant "chameleon": as Chameleon's compute/pzgetrf_nopiv.c, whose data_flush is StarPU's wont_use on the
/// owner. The column panel, then column by column the trsm of the row panel and its gemms; priorities
/// 2 nt - 2k (getrf), 2 nt - 2k - m (trsm_ru), 2 nt - 2k - n (trsm_ll), 2 nt - 2k - m - n (gemm).
TaskGraph build_lu(ApplicationParameters const& parameters);

/// getrf, trsm_ll, trsm_ru, gemm.
std::vector<Kernel> lu_kernels(ApplicationParameters const& parameters);

/// 2 n^3 / 3 with n = nt nb.
Flops lu_flops(ApplicationParameters const& parameters);

}  // namespace factosim
