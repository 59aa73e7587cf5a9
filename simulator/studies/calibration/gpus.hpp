#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"

namespace factosim {

/// One kernel with several sets of tiles in the memory of a GPU, more than its caches hold.
class GpuKernel {
 public:
  virtual ~GpuKernel() = default;
  /// Restores the data of all sets.
  virtual void restore() = 0;
  /// Executes the kernel on all sets, one after the other in a full queue, as a runtime system with a pipeline does.
  /// Calls `launched` when all are in the queue. Returns the seconds of each execution; the first includes its launch.
  [[nodiscard]] virtual std::vector<double> run(std::function<void()> const& launched) = 0;
};

/// The GPUs of this machine. Memory node 0 is the RAM, the next ones are the GPUs in order. If a device fails, the
/// functions throw std::runtime_error.
class Gpus {
 public:
  virtual ~Gpus() = default;
  [[nodiscard]] virtual std::vector<GpuSpec> const& specs() const = 0;
  [[nodiscard]] virtual std::string libraries() const = 0;  // of the kernels: "cuBLAS and cuSOLVER"
  /// One kernel on `nb` x `nb` tiles. Returns null for kernels that the GPU's libraries lack. Names as in
  /// tile_kernels.hpp.
  [[nodiscard]] virtual std::unique_ptr<GpuKernel> make_kernel(std::size_t gpu, std::string const& name,
                                                               Precision precision, int nb) = 0;
  /// Copies between two memory nodes, page-locked in the RAM, and waits for the end.
  virtual void copy(std::size_t from, std::size_t to, Bytes size) = 0;
};

/// Returns the GPUs of this machine, by the libraries of CUDA or of ROCm, which are searched now; null without a GPU or
/// its runtime library. Throws std::runtime_error if a device fails, or lacks a library of kernels.
[[nodiscard]] std::unique_ptr<Gpus> find_gpus();

}  // namespace factosim
