#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/calibration/tile_kernels.hpp"

namespace factosim {

/// The GPUs of this machine. Memory node 0 is the RAM, the next ones are the GPUs in order. If a device fails, the
/// functions throw std::runtime_error.
class Gpus {
 public:
  virtual ~Gpus() = default;
  [[nodiscard]] virtual std::vector<GpuSpec> const& specs() const = 0;
  [[nodiscard]] virtual std::string libraries() const = 0;  // of the kernels: "cuBLAS and cuSOLVER"
  /// One kernel on `nb` x `nb` tiles in the GPU's memory; its `run` waits for the end. Returns null for
  /// kernels that the GPU's libraries lack. Names as in tile_kernels.hpp.
  [[nodiscard]] virtual std::unique_ptr<TileKernel> make_kernel(std::size_t gpu, std::string const& name,
                                                                Precision precision, int nb) = 0;
  /// Copies between two memory nodes, page-locked in the RAM, and waits for the end.
  virtual void copy(std::size_t from, std::size_t to, Bytes size) = 0;
};

/// Returns the GPUs of this machine, by the libraries of CUDA or of ROCm, which are searched now; null without a GPU or
/// its runtime library. Throws std::runtime_error if a device fails, or lacks a library of kernels.
[[nodiscard]] std::unique_ptr<Gpus> find_gpus();

}  // namespace factosim
