#include "simulator/calibration/gpus.hpp"

#include "simulator/os/module.hpp"

namespace factosim {

std::unique_ptr<Gpus> find_gpus() {
  constexpr Module cuda{.file = "factosim_cuda.so",
                        .feature = "calibrate --machine, for GPUs,",
                        .packages = "the CUDA toolkit"};
  auto const* const finder = static_cast<GpuFinder const*>(find_module(cuda));
  return finder == nullptr ? nullptr : finder->find();
}

}  // namespace factosim
