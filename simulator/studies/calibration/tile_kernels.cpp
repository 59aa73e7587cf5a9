#include "simulator/studies/calibration/tile_kernels.hpp"

#include <algorithm>
#include <thread>

#include "simulator/base/os/module.hpp"

namespace factosim {

std::vector<std::string> tile_kernel_names() {
  return {"gemm",  "trsm",  "trsm_ll", "trsm_ru", "syrk", "potrf",      "getrf",
          "geqrt", "ormqr", "tpqrt",   "tpmqrt",  "dcmg", "dcmg_bessel"};
}

TileKernels const* find_tile_kernels() {
  Module const blas{.file = "factosim_blas.so",
                    .feature = "calibrate --machine",
                    .packages = "libopenblas-dev, liblapacke-dev and libgsl-dev",
                    .blas_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
  static auto const* const loaded = static_cast<TileKernels const*>(find_module(blas));
  return loaded;
}

}  // namespace factosim
