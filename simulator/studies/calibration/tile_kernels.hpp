#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// One kernel with several sets of tiles, more than the caches hold, so that each execution finds its data in
/// memory, as the tasks of a factorization do.
class TileKernel {
 public:
  virtual ~TileKernel() = default;
  /// Restores the data of all sets, because the results of executions may not be valid inputs.
  virtual void restore() = 0;
  [[nodiscard]] virtual std::size_t sets() const = 0;
  /// Executes the kernel once, on that set.
  virtual void run(std::size_t set) = 0;
};

/// Returns the names of the kernels: of LU without pivoting (getrf, trsm_ll, trsm_ru, gemm), Cholesky (potrf,
/// trsm, syrk, gemm), QR with inner blocks of 32 (geqrt, ormqr, tpqrt, tpmqrt, the last two on square tiles),
/// and of a tile of a Matern covariance matrix: dcmg (nu = 1/2, in closed form), dcmg_bessel (nu = 1).
[[nodiscard]] std::vector<std::string> tile_kernel_names();

/// The kernels on cores, by OpenBLAS, LAPACKE and GSL, in a module.
class TileKernels {
 public:
  virtual ~TileKernels() = default;
  /// `nb` x `nb` tiles. Each calling thread executes the kernel alone. Returns null for dcmg in single
  /// precision, which does not exist.
  [[nodiscard]] virtual std::unique_ptr<TileKernel> make(std::string const& name, Precision precision,
                                                         int nb) const = 0;
};

/// Loads the module, unless it is loaded; returns null if it is not installed.
[[nodiscard]] TileKernels const* find_tile_kernels();

}  // namespace factosim
