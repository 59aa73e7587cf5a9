#include "simulator/calibration/tile_kernels.hpp"

#include "simulator/os/module.hpp"

namespace factosim {

std::vector<std::string> tile_kernel_names() {
  return {"gemm",  "trsm",  "trsm_ll", "trsm_ru", "syrk", "potrf",      "getrf",
          "geqrt", "ormqr", "tpqrt",   "tpmqrt",  "dcmg", "dcmg_bessel"};
}

TileKernels const* find_tile_kernels() {
  constexpr Module blas{.file = "factosim_blas.so",
                        .feature = "calibrate --machine",
                        .packages = "libopenblas-dev, liblapacke-dev and libgsl-dev"};
  static auto const* const loaded = static_cast<TileKernels const*>(find_module(blas));
  return loaded;
}

}  // namespace factosim
