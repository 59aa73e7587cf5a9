#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// Three tiles of n x n elements in the memory of a GPU, by columns.
struct DeviceTiles {
  void *a, *b, *c;
};

/// An operation on tiles; returns before it ends.
using DeviceKernel = std::function<void(DeviceTiles const&)>;

/// A kernel, and what makes its inputs from fresh data (may be empty).
struct PreparedKernel {
  DeviceKernel run, prepare;
};

/// The libraries of one maker on one GPU: linear algebra on a stream of its own. Errors of the libraries throw
/// std::runtime_error.
class DeviceLibraries {
 public:
  virtual ~DeviceLibraries() = default;
  /// Returns the kernel for tiles of n x n elements; an empty `run` if the libraries lack it. Names as in
  /// tile_kernels.hpp: products in every precision but `fp8`, the others in double and single. Valid as long as the
  /// libraries.
  [[nodiscard]] virtual PreparedKernel kernel(std::string const& name, Precision precision, int n) = 0;
  /// Copies between page-locked RAM and memories of GPUs, and waits for the end.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
  /// Waits for the end of all kernels.
  virtual void wait() = 0;
  /// Puts that many pieces of work into the queue without a wait, calls `launched`, and waits for their end. Returns the
  /// seconds between the end of each and that of the one before by the device's clock; the first counts from its launch.
  [[nodiscard]] virtual std::vector<double> time(std::size_t count,
                                                 std::function<void(std::size_t)> const& launch,
                                                 std::function<void()> const& launched) = 0;
};

/// The GPUs of one maker, by its libraries, which are searched when the program runs: no toolkit is needed to build it.
class GpuLibraries {
 public:
  virtual ~GpuLibraries() = default;
  [[nodiscard]] virtual std::string names() const = 0;  // "cuBLAS and cuSOLVER"
  [[nodiscard]] virtual int device_count() const = 0;
  [[nodiscard]] virtual std::string device_name(int device) const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes(int device) const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceLibraries> open(int device) const = 0;
  [[nodiscard]] virtual void* allocate(int device, std::size_t bytes) const = 0;
  virtual void free(void* memory) const = 0;
  [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) const = 0;
  virtual void free_pinned(void* memory) const = 0;
  /// Copies to a GPU's memory, and waits for the end.
  virtual void fill(void* to, void const* from, std::size_t bytes) const = 0;
  /// Lets a GPU reach the memory of another one, if the machine can.
  virtual void let_reach(int from, int to) const = 0;
};

/// Returns the libraries of CUDA, or those of ROCm, if a device of theirs is there; null otherwise. Throws std::runtime_error
/// if there is a device, and a library that its kernels need is missing.
[[nodiscard]] std::unique_ptr<GpuLibraries> find_gpu_libraries();

}  // namespace factosim
