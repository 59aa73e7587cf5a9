#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/calibration/tile_kernels.hpp"

namespace factosim {

/// The GPUs of this machine, as calibration uses them. Memory nodes: 0 is the RAM, then the GPUs in order.
/// What fails on a device throws std::runtime_error.
class Gpus {
 public:
  virtual ~Gpus() = default;
  [[nodiscard]] virtual std::vector<GpuSpec> const& specs() const = 0;
  /// One kernel on `nb` x `nb` tiles that are in the GPU's memory; its `run` waits for the end. Null for
  /// kernels that the GPU's libraries do not have. Names as in tile_kernels.hpp.
  [[nodiscard]] virtual std::unique_ptr<TileKernel> make_kernel(std::size_t gpu, std::string const& name,
                                                                Precision precision, int nb) = 0;
  /// Copies between two memory nodes, page-locked in the RAM, and waits for the end.
  virtual void copy(std::size_t from, std::size_t to, Bytes size) = 0;
};

/// Null where there is none, or where the program was built without CUDA. The libraries of CUDA are large and
/// slow to load: they are behind a module that is loaded here, and that stays. Throws std::runtime_error
/// where it cannot be.
[[nodiscard]] std::unique_ptr<Gpus> find_gpus();

/// The module's file, beside the program or where it is installed, and the function in it.
inline constexpr char const* gpu_module = "factosim_cuda.so";
inline constexpr char const* gpu_module_entry = "factosim_find_gpus";
using GpuModuleEntry = Gpus* (*)();  // the caller owns what it returns; null where there is no GPU

}  // namespace factosim
