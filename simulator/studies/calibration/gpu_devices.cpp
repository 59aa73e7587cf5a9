#include "simulator/studies/calibration/gpu_libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include "simulator/studies/calibration/gpu_maker.hpp"

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
          .driver_files = {},
          .is_cuda = false,
          .no_transpose = 111,
          .transpose = 112,
          .lower = 122,
          .upper = 121,
          .left = 141,
          .right = 142,
          .non_unit = 131};
}

/// One device: its stream and handles, and the calls of its kernels.
class Device final : public DeviceLibraries {
 public:
  Device(MakerLibraries const& on, int device) : on_(on), device_(device) {
    use();
    constexpr unsigned spinning = 1;
    (void)on.of_runtime<Status(unsigned)>("SetDeviceFlags")(spinning);
    on.call("StreamCreate", &stream_);
    Maker const& m = on.maker();
    bool const cuda = m.is_cuda;
    check(on.of_blas<Status(Handle*)>(cuda ? "Create_v2" : "create_handle")(&blas_), "starting");
    check(on.of_blas<Status(Handle, void*)>(cuda ? "SetStream_v2" : "set_stream")(blas_, stream_), "stream");
    solver_ = blas_;
    if (!cuda) return;
    check(on.of_solver<Status(Handle*)>("Create")(&solver_), "starting");
    check(on.of_solver<Status(Handle, void*)>("SetStream")(solver_, stream_), "stream");
  }
  ~Device() override {
    for (void* const event : events_) (void)on_.of_runtime<Status(void*)>("EventDestroy")(event);
    for (void* const memory : {work_, reflectors_, info_})
      if (memory != nullptr) on_.free(memory);
    bool const cuda = on_.maker().is_cuda;
    if (cuda && solver_ != nullptr) (void)on_.of_solver<Status(Handle)>("Destroy")(solver_);
    if (blas_ != nullptr) (void)on_.of_blas<Status(Handle)>(cuda ? "Destroy_v2" : "destroy_handle")(blas_);
    if (stream_ != nullptr) (void)on_.of_runtime<Status(void*)>("StreamDestroy")(stream_);
  }
  Device(Device const&) = delete;
  Device& operator=(Device const&) = delete;

  void copy(void* to, void const* from, std::size_t bytes) override {
    use();
    on_.call("MemcpyAsync", to, from, bytes, MakerLibraries::any_direction, stream_);
    wait();
  }
  void wait() override { on_.call("StreamSynchronize", stream_); }

  [[nodiscard]] std::vector<double> time(std::size_t count, std::function<void(std::size_t)> const& launch,
                                         std::function<void()> const& launched) override {
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

  [[nodiscard]] PreparedKernel kernel(std::string const& name, Precision precision, int n) override {
    use();
    if (precision != Precision::double_ && precision != Precision::single_)
      return {.run = name == "gemm" ? short_product(precision, n) : DeviceKernel(), .prepare = {}};
    Maker const& m = on_.maker();
    bool const twice = precision == Precision::double_;
    if (name == "gemm") return {product(twice, n), {}};
    if (name == "trsm") return {solve(twice, n, m.right, m.lower, m.transpose), {}};
    if (name == "trsm_ll") return {solve(twice, n, m.left, m.lower, m.no_transpose), {}};
    if (name == "trsm_ru") return {solve(twice, n, m.right, m.upper, m.no_transpose), {}};
    if (name == "syrk") return {symmetric_product(twice, n), {}};
    if (name == "potrf") return {cholesky(twice, n), {}};
    if (name == "getrf") return {lu(twice, n), {}};
    if (name == "geqrt") return {reflectors_of(&DeviceTiles::a, twice, n), {}};
    if (name == "ormqr") return {apply_reflectors(twice, n), reflectors_of(&DeviceTiles::b, twice, n)};
    return {};
  }

 private:
  void use() const { on_.call("SetDevice", device_); }
  void check(Status status, std::string const& what) const {
    if (status != 0)
      throw std::runtime_error(fmt::format("{}: {}: status {}", on_.maker().names, what, status));
  }
  /// The name of a routine in double or single precision: "Dgemm_v2", "dgemm".
  [[nodiscard]] std::string named(bool twice, std::string const& routine, std::string const& end) const {
    bool const cuda = on_.maker().is_cuda;
    return (twice ? (cuda ? "D" : "d") : (cuda ? "S" : "s")) + routine + end;
  }
  [[nodiscard]] static void const* one(bool twice) {
    static constexpr double d = 1;
    static constexpr float s = 1;
    return twice ? static_cast<void const*>(&d) : &s;
  }
  [[nodiscard]] static void const* minus_one(bool twice) {
    static constexpr double d = -1;
    static constexpr float s = -1;
    return twice ? static_cast<void const*>(&d) : &s;
  }

  DeviceKernel product(bool twice, int n) {
    auto* const gemm =
        on_.of_blas<Status(Handle, int, int, int, int, int, void const*, void const*, int, void const*, int,
                           void const*, void*, int)>(named(twice, "gemm", on_.maker().blas_end));
    return [=, this](DeviceTiles const& t) {
      Maker const& m = on_.maker();
      check(gemm(blas_, m.no_transpose, m.transpose, n, n, n, minus_one(twice), t.a, n, t.b, n, one(twice),
                 t.c, n),
            "gemm");
    };
  }

  /// A product of elements of 2 bytes, or of TF32, that adds up in single precision; none for TF32 with ROCm.
  DeviceKernel short_product(Precision precision, int n) {
    Maker const& m = on_.maker();
    if (precision == Precision::fp8 || (precision == Precision::tf32 && !m.is_cuda)) return {};
    if (m.is_cuda) {
      int const type = precision == Precision::half ? 2 : precision == Precision::bfloat16 ? 14 : 0;
      int const arithmetic = precision == Precision::tf32 ? 77 : 68;
      auto* const gemm =
          on_.of_blas<Status(Handle, int, int, int, int, int, void const*, void const*, int, int, void const*,
                             int, int, void const*, void*, int, int, int, int)>("GemmEx");
      return [=, this](DeviceTiles const& t) {
        Maker const& k = on_.maker();
        check(gemm(blas_, k.no_transpose, k.transpose, n, n, n, minus_one(false), t.a, type, n, t.b, type, n,
                   one(false), t.c, type, n, arithmetic, -1),
              "GemmEx");
      };
    }
    int const type = precision == Precision::half ? 150 : 168;
    auto* const gemm = on_.of_blas<Status(Handle, int, int, int, int, int, void const*, void const*, int, int,
                                          void const*, int, int, void const*, void const*, int, int, void*,
                                          int, int, int, int, int, unsigned)>("gemm_ex");
    return [=, this](DeviceTiles const& t) {
      Maker const& k = on_.maker();
      constexpr int single_type = 151;
      check(gemm(blas_, k.no_transpose, k.transpose, n, n, n, minus_one(false), t.a, type, n, t.b, type, n,
                 one(false), t.c, type, n, t.c, type, n, single_type, 0, 0, 0U),
            "gemm_ex");
    };
  }

  DeviceKernel solve(bool twice, int n, int side, int part, int as) {
    auto* const trsm =
        on_.of_blas<Status(Handle, int, int, int, int, int, int, void const*, void const*, int, void*, int)>(
            named(twice, "trsm", on_.maker().blas_end));
    return [=, this](DeviceTiles const& t) {
      check(trsm(blas_, side, part, as, on_.maker().non_unit, n, n, one(twice), t.a, n, t.b, n), "trsm");
    };
  }

  DeviceKernel symmetric_product(bool twice, int n) {
    auto* const syrk =
        on_.of_blas<Status(Handle, int, int, int, int, void const*, void const*, int, void const*, void*,
                           int)>(named(twice, "syrk", on_.maker().blas_end));
    return [=, this](DeviceTiles const& t) {
      check(syrk(blas_, on_.maker().lower, on_.maker().no_transpose, n, n, minus_one(twice), t.b, n,
                 one(twice), t.c, n),
            "syrk");
    };
  }

  DeviceKernel cholesky(bool twice, int n) {
    if (!on_.maker().is_cuda) {
      auto* const potrf =
          on_.of_solver<Status(Handle, int, int, void*, int, void*)>(named(twice, "potrf", ""));
      info();
      return [=, this](DeviceTiles const& t) {
        check(potrf(solver_, on_.maker().lower, n, t.a, n, info_), "potrf");
      };
    }
    int size = 0;
    info();  // its address stands for all that the question of the size does not read
    check(on_.of_solver<Status(Handle, int, int, void*, int, int*)>(named(twice, "potrf", "_bufferSize"))(
              solver_, on_.maker().lower, n, info_, n, &size),
          "potrf");
    reserve(twice, size);
    auto* const potrf =
        on_.of_solver<Status(Handle, int, int, void*, int, void*, int, void*)>(named(twice, "potrf", ""));
    return [=, this](DeviceTiles const& t) {
      check(potrf(solver_, on_.maker().lower, n, t.a, n, work_, size, info_), "potrf");
    };
  }

  /// Without pivoting.
  DeviceKernel lu(bool twice, int n) {
    if (!on_.maker().is_cuda) {
      auto* const getrf =
          on_.of_solver<Status(Handle, int, int, void*, int, void*)>(named(twice, "getrf_npvt", ""));
      info();
      return [=, this](DeviceTiles const& t) { check(getrf(solver_, n, n, t.a, n, info_), "getrf_npvt"); };
    }
    int size = 0;
    info();  // its address stands for all that the question of the size does not read
    check(on_.of_solver<Status(Handle, int, int, void*, int, int*)>(named(twice, "getrf", "_bufferSize"))(
              solver_, n, n, info_, n, &size),
          "getrf");
    reserve(twice, size);
    auto* const getrf =
        on_.of_solver<Status(Handle, int, int, void*, int, void*, void*, void*)>(named(twice, "getrf", ""));
    return [=, this](DeviceTiles const& t) {
      check(getrf(solver_, n, n, t.a, n, work_, nullptr, info_), "getrf");
    };
  }

  /// QR of a tile, with the library's reflectors, which are not in inner blocks.
  DeviceKernel reflectors_of(void* DeviceTiles::*tile, bool twice, int n) {
    if (!on_.maker().is_cuda) {
      auto* const geqrf =
          on_.of_solver<Status(Handle, int, int, void*, int, void*)>(named(twice, "geqrf", ""));
      reserve_reflectors(n);
      return
          [=, this](DeviceTiles const& t) { check(geqrf(solver_, n, n, t.*tile, n, reflectors_), "geqrf"); };
    }
    int size = 0;
    info();  // its address stands for all that the question of the size does not read
    check(on_.of_solver<Status(Handle, int, int, void*, int, int*)>(named(twice, "geqrf", "_bufferSize"))(
              solver_, n, n, info_, n, &size),
          "geqrf");
    reserve(twice, size);
    reserve_reflectors(n);
    auto* const geqrf = on_.of_solver<Status(Handle, int, int, void*, int, void*, void*, int, void*)>(
        named(twice, "geqrf", ""));
    return [=, this](DeviceTiles const& t) {
      check(geqrf(solver_, n, n, t.*tile, n, reflectors_, work_, size, info_), "geqrf");
    };
  }

  DeviceKernel apply_reflectors(bool twice, int n) {
    reserve_reflectors(n);
    Maker const& m = on_.maker();
    if (!m.is_cuda) {
      auto* const ormqr =
          on_.of_solver<Status(Handle, int, int, int, int, int, void*, int, void*, void*, int)>(
              named(twice, "ormqr", ""));
      return [=, this](DeviceTiles const& t) {
        Maker const& k = on_.maker();
        check(ormqr(solver_, k.left, k.transpose, n, n, n, t.b, n, reflectors_, t.c, n), "ormqr");
      };
    }
    int size = 0;
    info();  // its address stands for all that the question of the size does not read
    check(on_.of_solver<Status(Handle, int, int, int, int, int, void*, int, void*, void*, int, int*)>(
              named(twice, "ormqr", "_bufferSize"))(solver_, m.left, m.transpose, n, n, n, info_, n, info_,
                                                    info_, n, &size),
          "ormqr");
    reserve(twice, size);
    auto* const ormqr = on_.of_solver<Status(Handle, int, int, int, int, int, void*, int, void*, void*, int,
                                             void*, int, void*)>(named(twice, "ormqr", ""));
    return [=, this](DeviceTiles const& t) {
      Maker const& k = on_.maker();
      check(ormqr(solver_, k.left, k.transpose, n, n, n, t.b, n, reflectors_, t.c, n, work_, size, info_),
            "ormqr");
    };
  }

  void info() {
    if (info_ == nullptr) info_ = on_.allocate(device_, sizeof(int));
  }
  /// Makes the work space at least that large.
  void reserve(bool twice, int elements) {
    info();
    grow(work_, work_bytes_, static_cast<std::size_t>(std::max(elements, 1)) * (twice ? 8 : 4));
  }
  void reserve_reflectors(int n) {
    grow(reflectors_, reflector_bytes_, static_cast<std::size_t>(n) * sizeof(double));
  }
  void grow(void*& memory, std::size_t& bytes, std::size_t needed) {
    if (needed <= bytes) return;
    if (memory != nullptr) on_.free(std::exchange(memory, nullptr));
    memory = on_.allocate(device_, needed);
    bytes = needed;
  }

  MakerLibraries const& on_;
  int device_;
  void* stream_ = nullptr;
  Handle blas_ = nullptr, solver_ = nullptr;
  std::vector<void*> events_;
  void *work_ = nullptr, *reflectors_ = nullptr, *info_ = nullptr;
  std::size_t work_bytes_ = 0, reflector_bytes_ = 0;
};

}  // namespace

std::unique_ptr<DeviceLibraries> MakerLibraries::open(int device) const {
  return std::make_unique<Device>(*this, device);
}

std::unique_ptr<GpuLibraries> find_gpu_libraries() {
  for (auto const& maker : {nvidia(), amd()}) {
    auto libraries = std::make_unique<MakerLibraries>(maker);
    if (libraries->has_device()) return libraries;
  }
  return nullptr;
}

}  // namespace factosim
