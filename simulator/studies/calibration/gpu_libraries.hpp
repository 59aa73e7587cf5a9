#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factosim/platform.hpp"

namespace factosim {

/// A shared library, loaded as long as the object.
class SharedLibrary {
 public:
  /// Tries the names in order. Without one of them, the library is not there.
  explicit SharedLibrary(std::vector<std::string> names);
  ~SharedLibrary();
  SharedLibrary(SharedLibrary const&) = delete;
  SharedLibrary& operator=(SharedLibrary const&) = delete;

  [[nodiscard]] bool is_there() const { return handle_ != nullptr; }
  /// Returns the function of that name. Throws std::runtime_error if the library or the function is missing.
  template <class Function>
  [[nodiscard]] Function* function(std::string const& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  [[nodiscard]] void* address(std::string const& name) const;

  std::vector<std::string> names_;
  void* handle_ = nullptr;
};

/// What differs between the two makers: names of libraries and functions, and numbers of options.
struct Maker {
  std::string names;    // of the libraries of kernels: "cuBLAS and cuSOLVER"
  std::string runtime;  // prefix of its functions
  std::string blas, blas_end, solver;
  std::vector<std::string> runtime_files, blas_files, solver_files, driver_files{};
  bool is_cuda;  // its solver wants work space from its caller, and has a handle of its own
  int no_transpose, transpose, lower, upper, left, right, non_unit;
};

/// Memory of a GPU, or page-locked memory, which its libraries free.
using GpuMemory = std::unique_ptr<void, std::function<void(void*)>>;

/// The GPUs of one maker, by its libraries, which are searched when the program runs: no toolkit is needed to build it.
/// Errors of the libraries throw std::runtime_error.
class GpuLibraries {
 public:
  using Status = int;
  static constexpr int any_direction = 4;  // of copies

  explicit GpuLibraries(Maker maker);

  /// Returns whether the runtime library is there and sees a device.
  [[nodiscard]] bool has_device() const;
  [[nodiscard]] Maker const& maker() const { return maker_; }
  [[nodiscard]] SharedLibrary const& blas() const { return blas_; }
  [[nodiscard]] SharedLibrary const& solver() const { return solver_; }

  template <class... Arguments>
  [[nodiscard]] Status status_of(std::string const& name, Arguments... arguments) const {
    return runtime_.function<Status(Arguments...)>(maker_.runtime + name)(arguments...);
  }
  /// Calls a function of the runtime library. Throws std::runtime_error if it fails.
  template <class... Arguments>
  void call(std::string const& name, Arguments... arguments) const {
    if (Status const status = status_of(name, arguments...); status != 0) fail(name, status);
  }

  [[nodiscard]] int device_count() const;
  [[nodiscard]] GpuSpec spec(int device) const;
  [[nodiscard]] GpuMemory allocate(int device, std::size_t bytes) const;
  [[nodiscard]] GpuMemory allocate_pinned(std::size_t bytes) const;
  /// Copies to a GPU's memory, and waits for the end.
  void fill(void* to, void const* from, std::size_t bytes) const;
  /// Lets a GPU reach the memory of another one, if the machine can.
  void let_reach(int from, int to) const;

 private:
  [[noreturn]] void fail(std::string const& name, Status status) const;

  Maker maker_;
  SharedLibrary runtime_, blas_, solver_, driver_;
};

/// A queue of work on one device, which spins while it waits.
class GpuQueue {
 public:
  GpuQueue(GpuLibraries const& on, int device);
  ~GpuQueue();
  GpuQueue(GpuQueue const&) = delete;
  GpuQueue& operator=(GpuQueue const&) = delete;

  [[nodiscard]] void* stream() const { return stream_; }
  /// Makes the device that of the calling thread.
  void use() const { on_.call("SetDevice", device_); }
  /// Copies between page-locked RAM and memories of GPUs, and waits for the end.
  void copy(void* to, void const* from, std::size_t bytes) const;
  /// Waits for the end of all work.
  void wait() const { on_.call("StreamSynchronize", stream_); }
  /// Puts that many pieces of work into the queue without a wait, calls `launched`, and waits for their end. Returns the
  /// seconds between the end of each and that of the one before by the device's clock; the first counts from its launch.
  [[nodiscard]] std::vector<double> time(std::size_t count, std::function<void(std::size_t)> const& launch,
                                         std::function<void()> const& launched);

 private:
  GpuLibraries const& on_;
  int device_;
  void* stream_ = nullptr;
  std::vector<void*> events_;
};

/// Returns the libraries of CUDA, or those of ROCm, if a device of theirs is there; null otherwise.
[[nodiscard]] std::unique_ptr<GpuLibraries> find_gpu_libraries();

}  // namespace factosim
