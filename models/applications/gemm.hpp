#pragma once

#include "models/applications/application.hpp"

namespace factosim {

/// The product C = AB of matrices of nt x nt tiles by outer products: for each k, gemm of every C(m,n) with
/// A(m,k) and B(k,n). The three matrices have one distribution; C starts and stays where it is computed.
/// Before, a task `load` of no operations on each tile of A and B: the tile is there, on its owner, and takes
/// no time; first column k of A and row k of B. Priorities 3 nt - 3k (load), 3 nt - (2k + 1) (gemm): steps in
/// order, and tiles before the updates that need them.
///
/// Source: Agarwal, Gustavson, Zubair, IBM J. Research and Development 38(6), 1994; ScaLAPACK's product.
TaskGraph build_gemm(ApplicationParameters const& parameters);

/// gemm, load.
std::vector<Kernel> gemm_kernels(ApplicationParameters const& parameters);

/// 2 n^3 with n = nt nb.
Flops gemm_flops(ApplicationParameters const& parameters);

}  // namespace factosim
