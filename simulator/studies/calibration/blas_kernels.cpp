// The module factosim_blas.so: the kernels of cores.

#include <cblas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "simulator/base/os/module.hpp"
#include "simulator/studies/calibration/tile_kernels.hpp"

extern "C" void openblas_set_num_threads(int threads);

namespace factosim {

namespace {

constexpr std::size_t rotated_bytes = std::size_t{64} << 20U;  // beyond the caches
constexpr int inner_block = 32;

/// The routines of one precision.
template <class T>
struct Blas;

template <>
struct Blas<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto trsm = cblas_dtrsm;
  static constexpr auto syrk = cblas_dsyrk;
  static constexpr auto ger = cblas_dger;
  static constexpr auto scal = cblas_dscal;
  static constexpr auto potrf = LAPACKE_dpotrf_work;
  static constexpr auto geqrt = LAPACKE_dgeqrt_work;
  static constexpr auto gemqrt = LAPACKE_dgemqrt_work;
  static constexpr auto tpqrt = LAPACKE_dtpqrt_work;
  static constexpr auto tpmqrt = LAPACKE_dtpmqrt_work;
};

template <>
struct Blas<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto trsm = cblas_strsm;
  static constexpr auto syrk = cblas_ssyrk;
  static constexpr auto ger = cblas_sger;
  static constexpr auto scal = cblas_sscal;
  static constexpr auto potrf = LAPACKE_spotrf_work;
  static constexpr auto geqrt = LAPACKE_sgeqrt_work;
  static constexpr auto gemqrt = LAPACKE_sgemqrt_work;
  static constexpr auto tpqrt = LAPACKE_stpqrt_work;
  static constexpr auto tpmqrt = LAPACKE_stpmqrt_work;
};

/// The data of one execution, column-major: three tiles, and the factors of reflectors.
template <class T>
struct Set {
  std::vector<T> a, b, c, t;
};

template <class T>
class DenseKernel final : public TileKernel {
 public:
  using Run = std::function<void(Set<T>&, std::vector<T>& work, int nb)>;

  DenseKernel(int nb, Run run) : nb_(nb), run_(std::move(run)) {
    auto const tile = static_cast<std::size_t>(nb) * static_cast<std::size_t>(nb);
    std::mt19937_64 random(static_cast<std::uint64_t>(nb));
    auto const fill = [&](std::vector<T>& values) {
      values.resize(tile);
      for (T& v : values) v = static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
    };
    fill(origin_.a);
    fill(origin_.b);
    fill(origin_.c);
    // Symmetric and diagonally dominant: no factorization breaks down, no substitution overflows.
    for (int j = 0; j < nb; ++j)
      for (int i = 0; i <= j; ++i) origin_.a[at(i, j)] = origin_.a[at(j, i)];
    for (int i = 0; i < nb; ++i) origin_.a[at(i, i)] = static_cast<T>(nb);
    origin_.t.assign(static_cast<std::size_t>(inner_block) * static_cast<std::size_t>(nb), T{0});
    work_.resize(tile);
    sets_.assign(std::clamp<std::size_t>(rotated_bytes / (3 * tile * sizeof(T)), 2, 64), origin_);
  }

  void restore() override {
    for (Set<T>& set : sets_) set = origin_;
  }
  [[nodiscard]] std::size_t sets() const override { return sets_.size(); }
  void run(std::size_t set) override { run_(sets_[set], work_, nb_); }

 private:
  [[nodiscard]] std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(nb_);
  }

  int nb_;
  Run run_;
  Set<T> origin_;
  std::vector<Set<T>> sets_;
  std::vector<T> work_;
};

/// LU without pivoting, right-looking by panels of 64 columns.
template <class T>
void getrf_nopiv(T* a, int n) {
  constexpr int panel = 64;
  for (int k = 0; k < n; k += panel) {
    int const w = std::min(panel, n - k);
    auto const at = [&](int i, int j) { return a + i + static_cast<std::ptrdiff_t>(j) * n; };
    for (int j = k; j < k + w; ++j) {
      Blas<T>::scal(n - j - 1, T{1} / *at(j, j), at(j + 1, j), 1);
      Blas<T>::ger(CblasColMajor, n - j - 1, k + w - j - 1, T{-1}, at(j + 1, j), 1, at(j, j + 1), n,
                   at(j + 1, j + 1), n);
    }
    int const rest = n - k - w;
    if (rest == 0) continue;
    Blas<T>::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, w, rest, T{1}, at(k, k), n,
                  at(k, k + w), n);
    Blas<T>::gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rest, rest, w, T{-1}, at(k + w, k), n,
                  at(k, k + w), n, T{1}, at(k + w, k + w), n);
  }
}

template <class T>
struct NamedKernel {
  char const* name;
  typename DenseKernel<T>::Run run;
};

template <class T>
std::vector<NamedKernel<T>> dense_kernels(int nb) {
  using B = Blas<T>;
  using W = std::vector<T>;
  auto const solve = [](CBLAS_SIDE side, CBLAS_UPLO part, CBLAS_TRANSPOSE as, CBLAS_DIAG diagonal, T factor) {
    return [=](Set<T>& s, W&, int n) {
      B::trsm(CblasColMajor, side, part, as, diagonal, n, n, factor, s.a.data(), n, s.b.data(), n);
    };
  };
  return {
      {"gemm",
       [](Set<T>& s, W&, int n) {
         B::gemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, T{-1}, s.a.data(), n, s.b.data(), n, T{1},
                 s.c.data(), n);
       }},
      {"trsm", solve(CblasRight, CblasLower, CblasTrans, CblasNonUnit, T{1})},
      {"trsm_ll", solve(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, T{1})},
      {"trsm_ru", solve(CblasRight, CblasUpper, CblasNoTrans, CblasUnit, T{1} / static_cast<T>(nb))},
      {"syrk",
       [](Set<T>& s, W&, int n) {
         B::syrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, T{-1}, s.b.data(), n, T{1}, s.c.data(), n);
       }},
      {"potrf", [](Set<T>& s, W&, int n) { (void)B::potrf(LAPACK_COL_MAJOR, 'L', n, s.a.data(), n); }},
      {"getrf", [](Set<T>& s, W&, int n) { getrf_nopiv(s.a.data(), n); }},
      {"geqrt",
       [](Set<T>& s, W& work, int n) {
         (void)B::geqrt(LAPACK_COL_MAJOR, n, n, inner_block, s.a.data(), n, s.t.data(), inner_block,
                        work.data());
       }},
      {"ormqr",
       [](Set<T>& s, W& work, int n) {
         (void)B::gemqrt(LAPACK_COL_MAJOR, 'L', 'T', n, n, n, inner_block, s.b.data(), n, s.t.data(),
                         inner_block, s.c.data(), n, work.data());
       }},
      {"tpqrt",
       [](Set<T>& s, W& work, int n) {
         (void)B::tpqrt(LAPACK_COL_MAJOR, n, n, 0, inner_block, s.a.data(), n, s.b.data(), n, s.t.data(),
                        inner_block, work.data());
       }},
      {"tpmqrt",
       [](Set<T>& s, W& work, int n) {
         (void)B::tpmqrt(LAPACK_COL_MAJOR, 'L', 'T', n, n, n, 0, inner_block, s.b.data(), n, s.t.data(),
                         inner_block, s.a.data(), n, s.c.data(), n, work.data());
       }},
  };
}

/// A tile of the covariance matrix of random places in the unit square. Source: Abdulah, Ltaief, Sun, Genton, Keyes,
/// ExaGeoStat, IEEE TPDS 29(12), 2018, equation 1, with variance 1 and range 0.1.
class MaternKernel final : public TileKernel {
 public:
  MaternKernel(int nb, double smoothness) : nb_(nb), smoothness_(smoothness) {
    std::mt19937_64 random(static_cast<std::uint64_t>(nb));
    for (int i = 0; i < 4 * nb; ++i) places_.push_back(static_cast<double>(random() >> 11U) * 0x1p-53);
    auto const tile = static_cast<std::size_t>(nb) * static_cast<std::size_t>(nb);
    tiles_.assign(std::clamp<std::size_t>(rotated_bytes / (tile * sizeof(double)), 2, 64),
                  std::vector<double>(tile));
  }
  void restore() override {}
  [[nodiscard]] std::size_t sets() const override { return tiles_.size(); }

  void run(std::size_t set) override {
    constexpr double range = 0.1;
    double const scale = std::pow(2.0, 1 - smoothness_) / std::tgamma(smoothness_);
    double* out = tiles_[set].data();
    double const* const p = places_.data();
    for (int j = 0; j < nb_; ++j)
      for (int i = 0; i < nb_; ++i) {
        double const *const row = p + 4L * i, *const column = p + 4L * j + 2;
        double const dx = row[0] - column[0], dy = row[1] - column[1];
        double const d = std::sqrt(dx * dx + dy * dy) / range;
        if (smoothness_ == 0.5)
          *out++ = std::exp(-d);
        else
          *out++ = d == 0 ? 1.0 : scale * std::pow(d, smoothness_) * gsl_sf_bessel_Knu(smoothness_, d);
      }
  }

 private:
  int nb_;
  double smoothness_;
  std::vector<double> places_;
  std::vector<std::vector<double>> tiles_;
};

template <class T>
std::unique_ptr<TileKernel> make_dense(std::string const& name, int nb) {
  for (NamedKernel<T>& kernel : dense_kernels<T>(nb))
    if (kernel.name == name) return std::make_unique<DenseKernel<T>>(nb, std::move(kernel.run));
  return nullptr;
}

class BlasKernels final : public TileKernels {
 public:
  BlasKernels() {
    openblas_set_num_threads(1);
    gsl_set_error_handler_off();  // an underflow, for places far from each other, is 0
  }
  [[nodiscard]] std::unique_ptr<TileKernel> make(std::string const& name, Precision precision,
                                                 int nb) const override {
    bool const generates = name.starts_with("dcmg");
    if (precision == Precision::single_ && !generates) return make_dense<float>(name, nb);
    if (precision != Precision::double_) return nullptr;
    if (!generates) return make_dense<double>(name, nb);
    return std::make_unique<MaternKernel>(nb, name == "dcmg" ? 0.5 : 1.0);
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::TileKernels, factosim::BlasKernels)
