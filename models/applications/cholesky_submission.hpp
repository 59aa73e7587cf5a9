#pragma once

#include "factosim/flow_sink.hpp"

namespace factosim {

class FormattedCholesky;

struct CholeskyKernels {
  KernelId potrf, trsm, syrk, gemm;
};

/// The handle of tile (m, n), n <= m.
[[nodiscard]] inline HandleId lower_tile(int m, int n) { return HandleId{m * (m + 1) / 2 + n}; }

/// Options for the submission of the tasks of a factorization.
struct CholeskySubmission {
  int nt;
  CholeskyKernels kernels;
  int (*priority)(int nt, TaskIndices const& task);
  bool flush_diagonal;                         // drop received copies of A(k,k) after each trsm
  bool uses_tiles_again;                       // later tasks use the tiles of a column that is finished
  FormattedCholesky const* formats = nullptr;  // null: all tiles are full, in one precision
};

}  // namespace factosim
