#include "simulator/studies/calibration/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "simulator/studies/calibration/gpu_libraries.hpp"

namespace factosim {

namespace {

constexpr std::size_t rotated_bytes = std::size_t{256} << 20U;  // beyond the caches
constexpr std::size_t largest_copy_bytes = std::size_t{64} << 20U;

/// Appends a number of magnitude 0 or 2^-14 to 65504 as an element of that precision.
void append(std::vector<unsigned char>& bytes, Precision precision, double value) {
  auto const put = [&](auto bits) {
    for (std::size_t i = 0; i < sizeof bits; ++i)
      bytes.push_back(static_cast<unsigned char>(bits >> (8 * i)));
  };
  if (precision == Precision::double_) return put(std::bit_cast<std::uint64_t>(value));
  auto const single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (element_bytes(precision) == 4) return put(single);
  if (precision == Precision::bfloat16) return put(static_cast<std::uint16_t>(single >> 16U));
  std::uint32_t const exponent = (single >> 23U) & 0xffU;
  std::uint32_t const half = exponent < 113 ? 0 : ((exponent - 112) << 10U) | ((single >> 13U) & 0x3ffU);
  put(static_cast<std::uint16_t>((single >> 16U & 0x8000U) | half));
}

/// Three tiles of n x n elements in the memory of a GPU, by columns.
struct DeviceTiles {
  void *a = nullptr, *b = nullptr, *c = nullptr;
};

/// An operation on tiles; returns before it ends.
using DeviceKernel = std::function<void(DeviceTiles const&)>;

/// A kernel, and what makes its inputs from fresh data (may be empty).
struct PreparedKernel {
  DeviceKernel run, prepare;
};

/// The kernels of the libraries on one device.
class GpuDevice {
 public:
  GpuDevice(GpuLibraries const& on, int device) : queue(on, device), on_(on), device_(device) {
    bool const cuda = maker().is_cuda;
    check(blas_status(cuda ? "Create_v2" : "create_handle", &blas_), "starting");
    check(blas_status(cuda ? "SetStream_v2" : "set_stream", blas_, queue.stream()), "stream");
    solver_ = blas_;
    info_ = on_.allocate(device_, sizeof(int));
    if (!cuda) return;
    check(solver_status("Create", &solver_), "starting");
    check(solver_status("SetStream", solver_, queue.stream()), "stream");
  }
  ~GpuDevice() {
    bool const cuda = maker().is_cuda;
    if (cuda && solver_ != nullptr) (void)solver_status("Destroy", solver_);
    if (blas_ != nullptr) (void)blas_status(cuda ? "Destroy_v2" : "destroy_handle", blas_);
  }
  GpuDevice(GpuDevice const&) = delete;
  GpuDevice& operator=(GpuDevice const&) = delete;

  GpuQueue queue;

  /// Returns the kernel for tiles of n x n elements; an empty `run` if the libraries lack it. Names as in
  /// tile_kernels.hpp: products in every precision but `fp8`, the others in double and single. Valid as long as the
  /// device.
  [[nodiscard]] PreparedKernel kernel(std::string const& name, Precision precision, int n) {
    queue.use();
    if (precision != Precision::double_ && precision != Precision::single_)
      return {.run = name == "gemm" ? short_product(precision, n) : DeviceKernel(), .prepare = {}};
    Maker const& m = maker();
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
  using Handle = void*;
  using Status = GpuLibraries::Status;

  [[nodiscard]] Maker const& maker() const { return on_.maker(); }
  void check(Status status, std::string const& what) const {
    if (status != 0) throw std::runtime_error(fmt::format("{}: {}: status {}", maker().names, what, status));
  }
  template <class... Arguments>
  [[nodiscard]] Status blas_status(std::string const& name, Arguments... arguments) const {
    return on_.blas().function<Status(Arguments...)>(maker().blas + name)(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] Status solver_status(std::string const& name, Arguments... arguments) const {
    return on_.solver().function<Status(Arguments...)>(maker().solver + name)(arguments...);
  }
  /// The name of a routine in double or single precision: "Dgemm_v2", "dgemm".
  [[nodiscard]] std::string named(bool twice, std::string const& routine, std::string const& end = "") const {
    bool const cuda = maker().is_cuda;
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

  /// Returns calls of a routine with what `arguments` returns for the tiles, a tuple whose types are the routine's.
  /// `what`: the routine in messages.
  template <class Arguments>
  DeviceKernel calls(SharedLibrary const& of, std::string const& name, std::string const& what,
                     Arguments arguments) const {
    auto const find = [&]<class... A>(std::tuple<A...> const&) { return of.function<Status(A...)>(name); };
    auto* const routine = find(arguments(DeviceTiles{}));
    return [=, this](DeviceTiles const& t) { check(std::apply(routine, arguments(t)), what); };
  }
  template <class Arguments>
  DeviceKernel blas(bool twice, std::string const& routine, Arguments arguments) const {
    return calls(on_.blas(), maker().blas + named(twice, routine, maker().blas_end), routine, arguments);
  }
  template <class Arguments>
  DeviceKernel solver(bool twice, std::string const& routine, Arguments arguments) const {
    return calls(on_.solver(), maker().solver + named(twice, routine), routine, arguments);
  }
  /// The same with work space, for which CUDA's solver asks: its size is that for `question`, the arguments but those of
  /// the tiles, for which any address stands.
  template <class Arguments, class... Question>
  DeviceKernel solver_with_work(bool twice, std::string const& routine, Arguments arguments,
                                Question... question) {
    if (!maker().is_cuda) return solver(twice, routine, arguments);
    int const size = reserve(twice, routine, question...);
    return solver(twice, routine, [=, this](DeviceTiles const& t) {
      return std::tuple_cat(arguments(t), std::tuple(work_.get(), size, info_.get()));
    });
  }
  /// Asks for the size of a routine's work space, makes room for it, and returns it in elements.
  template <class... Question>
  int reserve(bool twice, std::string const& routine, Question... question) {
    int size = 0;
    check(solver_status(named(twice, routine, "_bufferSize"), solver_, question..., &size), routine);
    grow(work_, work_bytes_, static_cast<std::size_t>(std::max(size, 1)) * (twice ? 8 : 4));
    return size;
  }

  DeviceKernel product(bool twice, int n) {
    return blas(twice, "gemm", [=, this](DeviceTiles const& t) {
      return std::tuple(blas_, maker().no_transpose, maker().transpose, n, n, n, minus_one(twice), t.a, n,
                        t.b, n, one(twice), t.c, n);
    });
  }

  /// A product of elements of 2 bytes, or of TF32, that adds up in single precision; none for TF32 with ROCm.
  DeviceKernel short_product(Precision precision, int n) {
    bool const cuda = maker().is_cuda;
    if (precision == Precision::fp8 || (precision == Precision::tf32 && !cuda)) return {};
    if (cuda) {
      int const type = precision == Precision::half ? 2 : precision == Precision::bfloat16 ? 14 : 0;
      int const arithmetic = precision == Precision::tf32 ? 77 : 68;
      return calls(on_.blas(), maker().blas + "GemmEx", "GemmEx", [=, this](DeviceTiles const& t) {
        return std::tuple(blas_, maker().no_transpose, maker().transpose, n, n, n, minus_one(false), t.a,
                          type, n, t.b, type, n, one(false), t.c, type, n, arithmetic, -1);
      });
    }
    constexpr int single_type = 151;
    int const type = precision == Precision::half ? 150 : 168;
    return calls(on_.blas(), maker().blas + "gemm_ex", "gemm_ex", [=, this](DeviceTiles const& t) {
      return std::tuple(blas_, maker().no_transpose, maker().transpose, n, n, n, minus_one(false), t.a, type,
                        n, t.b, type, n, one(false), t.c, type, n, t.c, type, n, single_type, 0, 0, 0U);
    });
  }

  DeviceKernel solve(bool twice, int n, int side, int part, int as) {
    return blas(twice, "trsm", [=, this](DeviceTiles const& t) {
      return std::tuple(blas_, side, part, as, maker().non_unit, n, n, one(twice), t.a, n, t.b, n);
    });
  }

  DeviceKernel symmetric_product(bool twice, int n) {
    return blas(twice, "syrk", [=, this](DeviceTiles const& t) {
      return std::tuple(blas_, maker().lower, maker().no_transpose, n, n, minus_one(twice), t.b, n,
                        one(twice), t.c, n);
    });
  }

  DeviceKernel cholesky(bool twice, int n) {
    auto const arguments = [=, this](DeviceTiles const& t) {
      return std::tuple(solver_, maker().lower, n, t.a, n);
    };
    if (maker().is_cuda) return solver_with_work(twice, "potrf", arguments, maker().lower, n, info_.get(), n);
    return solver(twice, "potrf", [=, this](DeviceTiles const& t) {
      return std::tuple_cat(arguments(t), std::tuple(info_.get()));
    });
  }

  /// Without pivoting.
  DeviceKernel lu(bool twice, int n) {
    if (!maker().is_cuda)
      return solver(twice, "getrf_npvt", [=, this](DeviceTiles const& t) {
        return std::tuple(solver_, n, n, t.a, n, info_.get());
      });
    (void)reserve(twice, "getrf", n, n, info_.get(), n);
    return solver(twice, "getrf", [=, this](DeviceTiles const& t) {
      return std::tuple(solver_, n, n, t.a, n, work_.get(), static_cast<void*>(nullptr), info_.get());
    });
  }

  /// QR of a tile, with the library's reflectors, which are not in inner blocks.
  DeviceKernel reflectors_of(void* DeviceTiles::*tile, bool twice, int n) {
    make_reflectors(n);
    auto const arguments = [=, this](DeviceTiles const& t) {
      return std::tuple(solver_, n, n, t.*tile, n, reflectors_.get());
    };
    return solver_with_work(twice, "geqrf", arguments, n, n, info_.get(), n);
  }

  DeviceKernel apply_reflectors(bool twice, int n) {
    make_reflectors(n);
    int const left = maker().left, transpose = maker().transpose;
    auto const arguments = [=, this](DeviceTiles const& t) {
      return std::tuple(solver_, left, transpose, n, n, n, t.b, n, reflectors_.get(), t.c, n);
    };
    return solver_with_work(twice, "ormqr", arguments, left, transpose, n, n, n, info_.get(), n, info_.get(),
                            info_.get(), n);
  }

  void make_reflectors(int n) {
    grow(reflectors_, reflector_bytes_, static_cast<std::size_t>(n) * sizeof(double));
  }
  void grow(GpuMemory& memory, std::size_t& bytes, std::size_t needed) const {
    if (needed <= bytes) return;
    memory.reset();
    memory = on_.allocate(device_, needed);
    bytes = needed;
  }

  GpuLibraries const& on_;
  int device_;
  Handle blas_ = nullptr, solver_ = nullptr;
  GpuMemory work_, reflectors_, info_;
  std::size_t work_bytes_ = 0, reflector_bytes_ = 0;
};

/// A kernel of the libraries on tiles that rotate through the memory of its GPU.
class LibraryKernel final : public GpuKernel {
 public:
  LibraryKernel(GpuLibraries const& by, GpuQueue& on, int device, PreparedKernel kernel, Precision precision,
                int nb)
      : by_(by), on_(on), kernel_(std::move(kernel)) {
    auto const n = static_cast<std::size_t>(nb);
    std::mt19937_64 random(n);
    std::vector<double> symmetric(n * n);
    auto const number = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5; };
    // Symmetric and diagonally dominant: no factorization breaks down, no substitution overflows.
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i <= j; ++i)
        symmetric[i + j * n] = symmetric[j + i * n] = i == j ? nb : number();
    std::vector<unsigned char> a, b, c;
    for (double const value : symmetric) append(a, precision, value);
    for (std::size_t i = 0; i < n * n; ++i) {
      append(b, precision, number());
      append(c, precision, number());
    }
    bytes_ = a.size();
    for (auto const* const fresh : {&a, &b, &c}) {
      fresh_.push_back(by.allocate(device, bytes_));
      by.fill(fresh_.back().get(), fresh->data(), bytes_);
    }
    std::size_t const sets = std::clamp<std::size_t>(rotated_bytes / (3 * bytes_), 4, 64);
    for (std::size_t t = 0; t < 3 * sets; ++t) tiles_.push_back(by.allocate(device, bytes_));
  }

  void restore() override {
    for (std::size_t t = 0; t < tiles_.size(); ++t) by_.fill(tiles_[t].get(), fresh_[t % 3].get(), bytes_);
    if (kernel_.prepare)
      for (std::size_t s = 0; s < sets(); ++s) kernel_.prepare(tiles(s));
    on_.wait();
  }
  std::vector<double> run(std::function<void()> const& launched) override {
    return on_.time(
        sets(), [&](std::size_t s) { kernel_.run(tiles(s)); }, launched);
  }

 private:
  [[nodiscard]] std::size_t sets() const { return tiles_.size() / 3; }
  [[nodiscard]] DeviceTiles tiles(std::size_t set) const {
    return {tiles_[3 * set].get(), tiles_[3 * set + 1].get(), tiles_[3 * set + 2].get()};
  }

  GpuLibraries const& by_;
  GpuQueue& on_;
  PreparedKernel kernel_;
  std::size_t bytes_ = 0;
  std::vector<GpuMemory> fresh_, tiles_;  // a, b, c; those of each set
};

class LibraryGpus final : public Gpus {
 public:
  explicit LibraryGpus(std::unique_ptr<GpuLibraries> by) : by_(std::move(by)) {
    int const count = by_->device_count();
    for (int d = 0; d < count; ++d) {
      specs_.push_back(by_->spec(d));
      devices_.push_back(std::make_unique<GpuDevice>(*by_, d));
      buffers_.push_back(by_->allocate(d, largest_copy_bytes));
    }
    for (int from = 0; from < count; ++from)
      for (int to = 0; to < count; ++to)
        if (from != to) by_->let_reach(from, to);
    host_ = by_->allocate_pinned(largest_copy_bytes);
  }
  [[nodiscard]] std::vector<GpuSpec> const& specs() const override { return specs_; }
  [[nodiscard]] std::string libraries() const override { return by_->maker().names; }

  std::unique_ptr<GpuKernel> make_kernel(std::size_t gpu, std::string const& name, Precision precision,
                                         int nb) override {
    PreparedKernel kernel = devices_.at(gpu)->kernel(name, precision, nb);
    if (!kernel.run) return nullptr;
    return std::make_unique<LibraryKernel>(*by_, devices_[gpu]->queue, static_cast<int>(gpu),
                                           std::move(kernel), precision, nb);
  }

  void copy(std::size_t from, std::size_t to, Bytes size) override {
    auto const bytes = static_cast<std::size_t>(size.value);
    if (bytes > largest_copy_bytes) throw std::runtime_error("a copy beyond its buffer");
    devices_.at(std::max(from, to) - 1)->queue.copy(at(to), at(from), bytes);  // by a GPU
  }

 private:
  [[nodiscard]] void* at(std::size_t memory) const {
    return memory == 0 ? host_.get() : buffers_.at(memory - 1).get();
  }

  std::unique_ptr<GpuLibraries> by_;
  std::vector<GpuSpec> specs_;
  std::vector<std::unique_ptr<GpuDevice>> devices_;
  std::vector<GpuMemory> buffers_;
  GpuMemory host_;
};

}  // namespace

std::unique_ptr<Gpus> find_gpus() {
  auto libraries = find_gpu_libraries();
  if (!libraries) return nullptr;
  return std::make_unique<LibraryGpus>(std::move(libraries));
}

}  // namespace factosim
