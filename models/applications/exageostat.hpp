#pragma once

#include <cstdint>

#include "models/applications/application.hpp"

namespace factosim {

/// Iterations of ExaGeoStat's likelihood on the lower triangle of an nt x nt matrix of tiles M and a vector
/// z:
///
///   generation     dcmg writes M(m,n)
///   factorization  Cholesky of M: potrf, trsm, syrk, gemm
///   determinant    mdet reads M(k,k), one scalar a node
///   solve          trsv of z(k) with M(k,k); gemv of what lies below with M(m,k)
///   dot            dot reads z(k), one scalar a node
///
/// z(m) lies with M(m,0). Chameleon's solve runs gemv where z(m) lies, so that M(m,k) comes there. The local
/// solve (Algorithm 1) runs it where M(m,k) lies, into an accumulator of that row and node; geadd adds those
/// of row k + 1 to z(k + 1). Chameleon flushes its tiles after the factorization, so the solve has them sent
/// anew. Generation is placed by distribution 1 (which may be the same map), all else by distribution 0.
///
/// Priorities, original: Chameleon's of Cholesky, 2 nt - 2k (potrf), less m (trsm), n (syrk), m + n (gemm); 0
/// elsewhere. All: equations 2 to 11 of the paper, 3 nt - (m + n) / 2 (dcmg), 3 (nt - k) (potrf), less m - k
/// (trsm), 2 (n - k) (syrk), (m - k) + (n - k) (gemm); 2 (nt - k) (trsv, geadd), 2 (nt - k) - m (gemv); 0
/// (mdet, dot).
///
/// Counts of an iteration, N = nt: dcmg N(N+1)/2, potrf, mdet, trsv, dot N each, trsm, syrk, gemv N(N-1)/2,
/// gemm N(N-1)(N-2)/6, geadd the sum over rows of the owners left of the diagonal.
///
/// Source: Nesi, Legrand, Schnorr, ICPP 2021, sections 2 and 4.
TaskGraph build_exageostat(ApplicationParameters const& parameters, TileMap const& factorization);

/// The same where one node owns everything.
TaskGraph build_exageostat_on_one_node(ApplicationParameters const& parameters);

/// dcmg, potrf, trsm, syrk, gemm, mdet, trsv, gemv, geadd, dot. The timings of dcmg depend on nu: "dcmg"
/// where it is half an odd number (a polynomial times an exponential), else "dcmg_bessel".
std::vector<Kernel> exageostat_kernels(ApplicationParameters const& parameters);

/// n^3 / 3 for the n rows of the matrix, for each iteration: that of the factorization.
Flops exageostat_flops(ApplicationParameters const& parameters);

/// Of the matrix: `n`, or nt nb without it.
[[nodiscard]] std::int64_t exageostat_rows(ApplicationParameters const& parameters);

/// The last of the rows, which may be fewer than nb.
[[nodiscard]] int rows_of_tile(ApplicationParameters const& parameters, int m);

}  // namespace factosim
