#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/calibration/tile_kernels.hpp"

namespace factosim {

/// The GPUs of this machine, by the libraries of CUDA, in a module. Memory node 0 is the RAM, the next ones
/// are the GPUs in order. If a device fails, the functions throw std::runtime_error.
class Gpus {
 public:
  virtual ~Gpus() = default;
  [[nodiscard]] virtual std::vector<GpuSpec> const& specs() const = 0;
  /// One kernel on `nb` x `nb` tiles in the GPU's memory; its `run` waits for the end. Returns null for
  /// kernels that the GPU's libraries lack. Names as in tile_kernels.hpp.
  [[nodiscard]] virtual std::unique_ptr<TileKernel> make_kernel(std::size_t gpu, std::string const& name,
                                                                Precision precision, int nb) = 0;
  /// Copies between two memory nodes, page-locked in the RAM, and waits for the end.
  virtual void copy(std::size_t from, std::size_t to, Bytes size) = 0;
};

/// Interface of the CUDA module.
class GpuFinder {
 public:
  virtual ~GpuFinder() = default;
  [[nodiscard]] virtual std::unique_ptr<Gpus> find() const = 0;
};

/// Loads the module, unless it is loaded. Returns null if the machine has no GPU, or the module is not
/// installed. Throws InputError if the module is installed and cannot be loaded.
[[nodiscard]] std::unique_ptr<Gpus> find_gpus();

}  // namespace factosim
