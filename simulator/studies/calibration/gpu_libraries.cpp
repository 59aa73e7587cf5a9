#include "simulator/studies/calibration/gpu_libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace factosim {

namespace {

std::vector<std::string> versions(std::string const& name, std::initializer_list<char const*> ends) {
  std::vector<std::string> out;
  for (char const* const end : ends) out.push_back(name + end);
  out.push_back(name);
  return out;
}

Maker nvidia() {
  return {.names = "cuBLAS and cuSOLVER",
          .runtime = "cuda",
          .blas = "cublas",
          .blas_end = "_v2",
          .solver = "cusolverDn",
          .runtime_files = versions("libcudart.so", {".13", ".12", ".11.0"}),
          .blas_files = versions("libcublas.so", {".13", ".12", ".11"}),
          .solver_files = versions("libcusolver.so", {".12", ".11", ".10"}),
          .driver_files = {"libcuda.so.1"},
          .is_cuda = true,
          .no_transpose = 0,
          .transpose = 1,
          .lower = 0,
          .upper = 1,
          .left = 0,
          .right = 1,
          .non_unit = 0};
}

Maker amd() {
  return {.names = "rocBLAS and rocSOLVER",
          .runtime = "hip",
          .blas = "rocblas_",
          .blas_end = "",
          .solver = "rocsolver_",
          .runtime_files = versions("libamdhip64.so", {".7", ".6", ".5"}),
          .blas_files = versions("librocblas.so", {".5", ".4", ".3", ".0"}),
          .solver_files = versions("librocsolver.so", {".0"}),
          .is_cuda = false,
          .no_transpose = 111,
          .transpose = 112,
          .lower = 122,
          .upper = 121,
          .left = 141,
          .right = 142,
          .non_unit = 131};
}

}  // namespace

SharedLibrary::SharedLibrary(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::string const& name : names_)
    if (handle_ == nullptr) handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(std::string const& name) const {
  if (handle_ == nullptr)
    throw std::runtime_error(fmt::format("no library is called {}", fmt::join(names_, " or ")));
  void* const found = dlsym(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error(fmt::format("{} has no {}", names_.front(), name));
  return found;
}

GpuLibraries::GpuLibraries(Maker maker)
    : maker_(std::move(maker)),
      runtime_(maker_.runtime_files),
      blas_(maker_.blas_files),
      solver_(maker_.solver_files),
      driver_(maker_.driver_files) {}

bool GpuLibraries::has_device() const {
  int count = 0;
  return runtime_.is_there() && status_of("GetDeviceCount", &count) == 0 && count > 0;
}

int GpuLibraries::device_count() const {
  int count = 0;
  call("GetDeviceCount", &count);
  return count;
}

GpuSpec GpuLibraries::spec(int device) const {
  char text[256] = "";
  if (driver_.is_there()) {
    driver_.function<Status(unsigned)>("cuInit")(0U);
    driver_.function<Status(char*, int, int)>("cuDeviceGetName")(text, sizeof text, device);
  } else if (maker_.driver_files.empty()) {
    call("DeviceGetName", static_cast<char*>(text), static_cast<int>(sizeof text), device);
  }
  std::size_t unused = 0, all = 0;
  call("SetDevice", device);
  call("MemGetInfo", &unused, &all);
  return {.model = text, .memory = {static_cast<std::int64_t>(all)}};
}

GpuMemory GpuLibraries::allocate(int device, std::size_t bytes) const {
  void* memory = nullptr;
  call("SetDevice", device);
  call("Malloc", &memory, std::max<std::size_t>(bytes, 1));
  return {memory, [this](void* data) { (void)status_of("Free", data); }};
}

GpuMemory GpuLibraries::allocate_pinned(std::size_t bytes) const {
  void* memory = nullptr;
  if (maker_.is_cuda)
    call("MallocHost", &memory, bytes);
  else
    call("HostMalloc", &memory, bytes, 0U);
  return {memory, [this](void* data) { (void)status_of(maker_.is_cuda ? "FreeHost" : "HostFree", data); }};
}

void GpuLibraries::fill(void* to, void const* from, std::size_t bytes) const {
  call("Memcpy", to, from, bytes, any_direction);
  call("DeviceSynchronize");
}

void GpuLibraries::let_reach(int from, int to) const {
  int can = 0;
  if (status_of("DeviceCanAccessPeer", &can, from, to) != 0 || can == 0) return;
  call("SetDevice", from);
  if (status_of("DeviceEnablePeerAccess", to, 0U) != 0)
    (void)status_of("GetLastError");  // copies then go through the RAM
}

void GpuLibraries::fail(std::string const& name, Status status) const {
  throw std::runtime_error(
      fmt::format("{}{}: {}", maker_.runtime, name,
                  runtime_.function<char const*(Status)>(maker_.runtime + "GetErrorString")(status)));
}

GpuQueue::GpuQueue(GpuLibraries const& on, int device) : on_(on), device_(device) {
  use();
  constexpr unsigned spinning = 1;
  (void)on.status_of("SetDeviceFlags", spinning);
  on.call("StreamCreate", &stream_);
}

GpuQueue::~GpuQueue() {
  for (void* const event : events_) (void)on_.status_of("EventDestroy", event);
  if (stream_ != nullptr) (void)on_.status_of("StreamDestroy", stream_);
}

void GpuQueue::copy(void* to, void const* from, std::size_t bytes) const {
  use();
  on_.call("MemcpyAsync", to, from, bytes, GpuLibraries::any_direction, stream_);
  wait();
}

std::vector<double> GpuQueue::time(std::size_t count, std::function<void(std::size_t)> const& launch,
                                   std::function<void()> const& launched) {
  use();
  while (events_.size() <= count) {
    events_.push_back(nullptr);
    on_.call("EventCreate", &events_.back());
  }
  on_.call("EventRecord", events_[0], stream_);
  for (std::size_t i = 0; i < count; ++i) {
    launch(i);
    on_.call("EventRecord", events_[i + 1], stream_);
  }
  launched();
  wait();
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    float milliseconds = 0;
    on_.call("EventElapsedTime", &milliseconds, events_[i], events_[i + 1]);
    out[i] = 1e-3 * static_cast<double>(milliseconds);
  }
  return out;
}

std::unique_ptr<GpuLibraries> find_gpu_libraries() {
  for (auto const& maker : {nvidia(), amd()}) {
    auto libraries = std::make_unique<GpuLibraries>(maker);
    if (libraries->has_device()) return libraries;
  }
  return nullptr;
}

}  // namespace factosim
