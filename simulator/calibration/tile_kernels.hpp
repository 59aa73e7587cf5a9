#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// One kernel with the tiles it works on: several sets of them, more than the caches hold, so that each
/// execution finds its data in memory, as tasks do.
class TileKernel {
 public:
  virtual ~TileKernel() = default;
  /// Makes the data of all sets anew: outputs of the last executions may be no inputs.
  virtual void restore() = 0;
  [[nodiscard]] virtual std::size_t sets() const = 0;
  /// One execution, on that set.
  virtual void run(std::size_t set) = 0;
};

/// The kernels of LU without pivoting (getrf, trsm_ll, trsm_ru, gemm), Cholesky (potrf, trsm, syrk, gemm), QR
/// with inner blocks of 32 (geqrt, ormqr, tpqrt, tpmqrt, the last two on square tiles), and a tile of a
/// Matern covariance matrix: dcmg (nu = 1/2, in closed form), dcmg_bessel (nu = 1).
[[nodiscard]] std::vector<std::string> tile_kernel_names();

/// `nb` x `nb` tiles; null where dcmg is asked for in single precision, which nobody has.
[[nodiscard]] std::unique_ptr<TileKernel> make_tile_kernel(std::string const& name, Precision precision,
                                                           int nb);

/// Makes the library use one thread in each of ours.
void use_one_thread_each();

/// Whether the program has the libraries; else no kernel is made.
[[nodiscard]] bool has_tile_kernels();

}  // namespace factosim
