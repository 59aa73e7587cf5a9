// The module factosim_cuda.so: the kernels and buses of GPUs.

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

#include "simulator/calibration/gpus.hpp"
#include "simulator/os/module.hpp"

namespace factosim {

namespace {

constexpr std::size_t rotated_bytes = std::size_t{256} << 20U;  // beyond the caches
constexpr std::size_t largest_copy_bytes = std::size_t{64} << 20U;

void check(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(fmt::format("CUDA: {}: {}", what, cudaGetErrorString(status)));
}
void check(cublasStatus_t status, char const* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(fmt::format("cuBLAS: {}: status {}", what, static_cast<int>(status)));
}
void check(cusolverStatus_t status, char const* what) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw std::runtime_error(fmt::format("cuSOLVER: {}: status {}", what, static_cast<int>(status)));
}

/// Memory of the device that is current when the array is made.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(count, 1) * sizeof(T)),
          "allocating");
  }
  ~DeviceArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  DeviceArray(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray&&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  void fill_from(T const* values) {
    check(cudaMemcpy(data_, values, count_ * sizeof(T), cudaMemcpyDefault), "copying");
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// The libraries on one device.
struct Libraries {
  int device;
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;

  explicit Libraries(int d) : device(d) {
    use();
    check(cudaSetDeviceFlags(cudaDeviceScheduleSpin), "waiting by spinning");
    check(cudaStreamCreate(&stream), "making a stream");
    check(cublasCreate(&blas), "starting");
    check(cublasSetStream(blas, stream), "setting the stream");
    check(cusolverDnCreate(&solver), "starting");
    check(cusolverDnSetStream(solver, stream), "setting the stream");
  }
  ~Libraries() {
    cudaSetDevice(device);
    if (solver != nullptr) cusolverDnDestroy(solver);
    if (blas != nullptr) cublasDestroy(blas);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  Libraries(Libraries const&) = delete;
  Libraries& operator=(Libraries const&) = delete;

  void use() const { check(cudaSetDevice(device), "choosing the device"); }
  void wait() const { check(cudaStreamSynchronize(stream), "waiting"); }
};

/// The routines of one precision.
template <class T>
struct Cuda;

template <>
struct Cuda<double> {
  static constexpr auto gemm = cublasDgemm;
  static constexpr auto trsm = cublasDtrsm;
  static constexpr auto syrk = cublasDsyrk;
  static constexpr auto potrf = cusolverDnDpotrf;
  static constexpr auto potrf_size = cusolverDnDpotrf_bufferSize;
  static constexpr auto getrf = cusolverDnDgetrf;
  static constexpr auto getrf_size = cusolverDnDgetrf_bufferSize;
  static constexpr auto geqrf = cusolverDnDgeqrf;
  static constexpr auto geqrf_size = cusolverDnDgeqrf_bufferSize;
  static constexpr auto ormqr = cusolverDnDormqr;
  static constexpr auto ormqr_size = cusolverDnDormqr_bufferSize;
};

template <>
struct Cuda<float> {
  static constexpr auto gemm = cublasSgemm;
  static constexpr auto trsm = cublasStrsm;
  static constexpr auto syrk = cublasSsyrk;
  static constexpr auto potrf = cusolverDnSpotrf;
  static constexpr auto potrf_size = cusolverDnSpotrf_bufferSize;
  static constexpr auto getrf = cusolverDnSgetrf;
  static constexpr auto getrf_size = cusolverDnSgetrf_bufferSize;
  static constexpr auto geqrf = cusolverDnSgeqrf;
  static constexpr auto geqrf_size = cusolverDnSgeqrf_bufferSize;
  static constexpr auto ormqr = cusolverDnSormqr;
  static constexpr auto ormqr_size = cusolverDnSormqr_bufferSize;
};

template <class T>
struct Set {
  DeviceArray<T> a, b, c;
};

/// The work space of the routines.
template <class T>
struct Scratch {
  DeviceArray<T> work, reflectors;
  DeviceArray<int> info;
  int work_count;
};

template <class T>
using Run = std::function<void(Libraries const&, Set<T>&, Scratch<T>&, int nb)>;

template <class T>
class CudaKernel final : public TileKernel {
 public:
  /// `prepare`, unless it is null, makes the inputs of `run` from fresh data.
  CudaKernel(Libraries const& on, int nb, Run<T> run, Run<T> prepare)
      : on_(on), nb_(nb), run_(std::move(run)), prepare_(std::move(prepare)), scratch_(make_scratch(on, nb)) {
    auto const n = static_cast<std::size_t>(nb);
    std::mt19937_64 random(n);
    for (std::vector<T>* values : {&a_, &b_, &c_}) {
      values->resize(n * n);
      for (T& v : *values) v = static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
    }
    // Symmetric and diagonally dominant: no factorization breaks down, no substitution overflows.
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i <= j; ++i) a_[i + j * n] = a_[j + i * n];
    for (std::size_t i = 0; i < n; ++i) a_[i + i * n] = static_cast<T>(nb);
    std::size_t const sets = std::clamp<std::size_t>(rotated_bytes / (3 * n * n * sizeof(T)), 2, 64);
    for (std::size_t s = 0; s < sets; ++s)
      sets_.push_back({DeviceArray<T>(n * n), DeviceArray<T>(n * n), DeviceArray<T>(n * n)});
  }

  void restore() override {
    on_.use();
    for (Set<T>& set : sets_) {
      set.a.fill_from(a_.data());
      set.b.fill_from(b_.data());
      set.c.fill_from(c_.data());
      if (prepare_) prepare_(on_, set, scratch_, nb_);
    }
    check(cudaDeviceSynchronize(), "copying");
  }
  [[nodiscard]] std::size_t sets() const override { return sets_.size(); }
  void run(std::size_t set) override {
    on_.use();
    run_(on_, sets_[set], scratch_, nb_);
    on_.wait();
  }

 private:
  /// As much as the routine with the largest need.
  static Scratch<T> make_scratch(Libraries const& on, int nb) {
    on.use();
    auto const n = static_cast<std::size_t>(nb);
    DeviceArray<T> tile(n * n), reflectors(n);
    std::vector<T> const zeros(n, T{0});
    reflectors.fill_from(zeros.data());
    int maximum = 1, size = 0;
    check(Cuda<T>::potrf_size(on.solver, CUBLAS_FILL_MODE_LOWER, nb, tile.data(), nb, &size), "potrf");
    maximum = std::max(maximum, size);
    check(Cuda<T>::getrf_size(on.solver, nb, nb, tile.data(), nb, &size), "getrf");
    maximum = std::max(maximum, size);
    check(Cuda<T>::geqrf_size(on.solver, nb, nb, tile.data(), nb, &size), "geqrf");
    maximum = std::max(maximum, size);
    check(Cuda<T>::ormqr_size(on.solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, nb, nb, nb, tile.data(), nb,
                              reflectors.data(), tile.data(), nb, &size),
          "ormqr");
    maximum = std::max(maximum, size);
    return {DeviceArray<T>(static_cast<std::size_t>(maximum)), std::move(reflectors), DeviceArray<int>(1),
            maximum};
  }

  Libraries const& on_;
  int nb_;
  Run<T> run_, prepare_;
  Scratch<T> scratch_;
  std::vector<T> a_, b_, c_;
  std::vector<Set<T>> sets_;
};

template <class T>
struct Named {
  char const* name;
  Run<T> run;
  Run<T> prepare = nullptr;
};

/// The same operations on the same tiles as those of the cores. LU's diagonal tile without pivoting; QR's first two
/// kernels with cuSOLVER's reflectors, which are not in inner blocks; cuSOLVER has no tpqrt and tpmqrt.
template <class T>
std::vector<Named<T>> cuda_kernels() {
  using C = Cuda<T>;
  using L = Libraries;
  using W = Scratch<T>;
  static constexpr T one{1}, minus_one{-1};
  auto const factor = [](DeviceArray<T> Set<T>::*tile) -> Run<T> {
    return [=](L const& on, Set<T>& s, W& w, int n) {
      check(C::geqrf(on.solver, n, n, (s.*tile).data(), n, w.reflectors.data(), w.work.data(), w.work_count,
                     w.info.data()),
            "geqrf");
    };
  };
  auto const solve = [](cublasSideMode_t side, cublasFillMode_t part, cublasOperation_t as,
                        cublasDiagType_t diagonal) -> Run<T> {
    return [=](L const& on, Set<T>& s, W&, int n) {
      check(C::trsm(on.blas, side, part, as, diagonal, n, n, &one, s.a.data(), n, s.b.data(), n), "trsm");
    };
  };
  return {
      {"gemm",
       [](L const& on, Set<T>& s, W&, int n) {
         check(C::gemm(on.blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &minus_one, s.a.data(), n, s.b.data(), n,
                       &one, s.c.data(), n),
               "gemm");
       }},
      {"trsm", solve(CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT)},
      {"trsm_ll", solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT)},
      {"trsm_ru", solve(CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT)},
      {"syrk",
       [](L const& on, Set<T>& s, W&, int n) {
         check(C::syrk(on.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &minus_one, s.b.data(), n, &one,
                       s.c.data(), n),
               "syrk");
       }},
      {"potrf",
       [](L const& on, Set<T>& s, W& w, int n) {
         check(C::potrf(on.solver, CUBLAS_FILL_MODE_LOWER, n, s.a.data(), n, w.work.data(), w.work_count,
                        w.info.data()),
               "potrf");
       }},
      {"getrf",
       [](L const& on, Set<T>& s, W& w, int n) {
         check(C::getrf(on.solver, n, n, s.a.data(), n, w.work.data(), nullptr, w.info.data()), "getrf");
       }},
      {"geqrt", factor(&Set<T>::a)},
      {"ormqr",
       [](L const& on, Set<T>& s, W& w, int n) {
         check(C::ormqr(on.solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, n, n, s.b.data(), n, w.reflectors.data(),
                        s.c.data(), n, w.work.data(), w.work_count, w.info.data()),
               "ormqr");
       },
       factor(&Set<T>::b)},
  };
}

template <class T>
std::unique_ptr<TileKernel> make(Libraries const& on, std::string const& name, int nb) {
  for (Named<T>& kernel : cuda_kernels<T>())
    if (kernel.name == name)
      return std::make_unique<CudaKernel<T>>(on, nb, std::move(kernel.run), std::move(kernel.prepare));
  return nullptr;
}

class CudaGpus final : public Gpus {
 public:
  explicit CudaGpus(int count) {
    for (int d = 0; d < count; ++d) {
      cudaDeviceProp properties{};
      check(cudaGetDeviceProperties(&properties, d), "asking for a device");
      specs_.push_back({properties.name, Bytes{static_cast<std::int64_t>(properties.totalGlobalMem)}});
      libraries_.push_back(std::make_unique<Libraries>(d));
      buffers_.emplace_back(largest_copy_bytes);
    }
    for (int from = 0; from < count; ++from)
      for (int to = 0; to < count; ++to) let_reach(from, to);
    check(cudaMallocHost(&host_, largest_copy_bytes), "page-locking");
  }
  ~CudaGpus() override { cudaFreeHost(host_); }
  CudaGpus(CudaGpus const&) = delete;
  CudaGpus& operator=(CudaGpus const&) = delete;

  [[nodiscard]] std::vector<GpuSpec> const& specs() const override { return specs_; }

  std::unique_ptr<TileKernel> make_kernel(std::size_t gpu, std::string const& name, Precision precision,
                                          int nb) override {
    Libraries const& on = *libraries_.at(gpu);
    on.use();
    return precision == Precision::double_ ? make<double>(on, name, nb) : make<float>(on, name, nb);
  }

  void copy(std::size_t from, std::size_t to, Bytes size) override {
    auto const bytes = static_cast<std::size_t>(size.value);
    if (bytes > largest_copy_bytes) throw std::runtime_error("CUDA: a copy beyond its buffer");
    Libraries const& on = *libraries_.at(std::max(from, to) - 1);  // of a GPU
    on.use();
    check(cudaMemcpyAsync(at(to), at(from), bytes, cudaMemcpyDefault, on.stream), "copying");
    on.wait();
  }

 private:
  [[nodiscard]] void* at(std::size_t memory) const {
    return memory == 0 ? host_ : static_cast<void*>(buffers_.at(memory - 1).data());
  }
  void let_reach(int from, int to) const {
    int can = 0;
    if (from == to || cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0) return;
    libraries_[static_cast<std::size_t>(from)]->use();
    if (cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess)
      cudaGetLastError();  // copies then go through the RAM
  }

  std::vector<GpuSpec> specs_;
  std::vector<std::unique_ptr<Libraries>> libraries_;
  std::vector<DeviceArray<char>> buffers_;
  void* host_ = nullptr;
};

class CudaFinder final : public GpuFinder {
 public:
  [[nodiscard]] std::unique_ptr<Gpus> find() const override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return nullptr;
    return std::make_unique<CudaGpus>(count);
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::GpuFinder, factosim::CudaFinder)
