#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simulator/studies/calibration/gpu_libraries.hpp"

namespace factosim {

/// A shared library, loaded as long as the object.
class SharedLibrary {
 public:
  /// Tries the names in order. Without one of them, the library is not there.
  explicit SharedLibrary(std::vector<std::string> names) : names_(std::move(names)) {
    for (std::string const& name : names_)
      if (handle_ == nullptr) handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~SharedLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  SharedLibrary(SharedLibrary const&) = delete;
  SharedLibrary& operator=(SharedLibrary const&) = delete;

  [[nodiscard]] bool is_there() const { return handle_ != nullptr; }
  /// Returns the function of that name. Throws std::runtime_error if the library or the function is missing.
  template <class Function>
  [[nodiscard]] Function* function(std::string const& name) const {
    if (handle_ == nullptr)
      throw std::runtime_error(fmt::format("no library is called {}", fmt::join(names_, " or ")));
    auto* const found = reinterpret_cast<Function*>(dlsym(handle_, name.c_str()));
    if (found == nullptr) throw std::runtime_error(fmt::format("{} has no {}", names_.front(), name));
    return found;
  }

 private:
  std::vector<std::string> names_;
  void* handle_ = nullptr;
};

/// What differs between the two makers: names of libraries and functions, and numbers of options.
struct Maker {
  std::string names;    // of the libraries of kernels
  std::string runtime;  // prefix of its functions
  std::string blas, blas_end, solver;
  std::vector<std::string> runtime_files, blas_files, solver_files, driver_files;
  bool is_cuda;  // its solver wants work space from its caller, and has a handle of its own
  int no_transpose, transpose, lower, upper, left, right, non_unit;
};

using Handle = void*;
using Status = int;

/// The functions of one maker that are the same for all devices.
class MakerLibraries final : public GpuLibraries {
 public:
  explicit MakerLibraries(Maker maker)
      : maker_(std::move(maker)),
        runtime_(maker_.runtime_files),
        blas_(maker_.blas_files),
        solver_(maker_.solver_files),
        driver_(maker_.driver_files) {}

  /// Returns whether the runtime library is there and sees a device.
  [[nodiscard]] bool has_device() const {
    int count = 0;
    return runtime_.is_there() && of_runtime<Status(int*)>("GetDeviceCount")(&count) == 0 && count > 0;
  }

  template <class Function>
  [[nodiscard]] Function* of_runtime(std::string const& name) const {
    return runtime_.function<Function>(maker_.runtime + name);
  }
  template <class Function>
  [[nodiscard]] Function* of_blas(std::string const& name) const {
    return blas_.function<Function>(maker_.blas + name);
  }
  template <class Function>
  [[nodiscard]] Function* of_solver(std::string const& name) const {
    return solver_.function<Function>(maker_.solver + name);
  }
  /// Calls a function of the runtime library. Throws std::runtime_error if it fails.
  template <class... Arguments>
  void call(std::string const& name, Arguments... arguments) const {
    Status const status = of_runtime<Status(Arguments...)>(name)(arguments...);
    if (status != 0)
      throw std::runtime_error(fmt::format("{}{}: {}", maker_.runtime, name,
                                           of_runtime<char const*(Status)>("GetErrorString")(status)));
  }
  [[nodiscard]] Maker const& maker() const { return maker_; }

  [[nodiscard]] std::string names() const override { return maker_.names; }
  [[nodiscard]] int device_count() const override {
    int count = 0;
    call("GetDeviceCount", &count);
    return count;
  }
  [[nodiscard]] std::string device_name(int device) const override {
    char text[256] = "";
    if (driver_.is_there()) {
      driver_.function<Status(unsigned)>("cuInit")(0U);
      driver_.function<Status(char*, int, int)>("cuDeviceGetName")(text, sizeof text, device);
    } else if (maker_.driver_files.empty()) {
      call("DeviceGetName", static_cast<char*>(text), static_cast<int>(sizeof text), device);
    }
    return text;
  }
  [[nodiscard]] std::size_t memory_bytes(int device) const override {
    std::size_t unused = 0, all = 0;
    call("SetDevice", device);
    call("MemGetInfo", &unused, &all);
    return all;
  }
  [[nodiscard]] std::unique_ptr<DeviceLibraries> open(int device) const override;
  [[nodiscard]] void* allocate(int device, std::size_t bytes) const override {
    void* memory = nullptr;
    call("SetDevice", device);
    call("Malloc", &memory, bytes);
    return memory;
  }
  void free(void* memory) const override { (void)of_runtime<Status(void*)>("Free")(memory); }
  [[nodiscard]] void* allocate_pinned(std::size_t bytes) const override {
    void* memory = nullptr;
    if (maker_.is_cuda)
      call("MallocHost", &memory, bytes);
    else
      call("HostMalloc", &memory, bytes, 0U);
    return memory;
  }
  void free_pinned(void* memory) const override {
    (void)of_runtime<Status(void*)>(maker_.is_cuda ? "FreeHost" : "HostFree")(memory);
  }
  void fill(void* to, void const* from, std::size_t bytes) const override {
    call("Memcpy", to, from, bytes, any_direction);
    call("DeviceSynchronize");
  }
  void let_reach(int from, int to) const override {
    int can = 0;
    if (of_runtime<Status(int*, int, int)>("DeviceCanAccessPeer")(&can, from, to) != 0 || can == 0) return;
    call("SetDevice", from);
    if (of_runtime<Status(int, unsigned)>("DeviceEnablePeerAccess")(to, 0U) != 0)
      (void)of_runtime<Status()>("GetLastError")();  // copies then go through the RAM
  }

  static constexpr int any_direction = 4;

 private:
  Maker maker_;
  SharedLibrary runtime_, blas_, solver_, driver_;
};

}  // namespace factosim
