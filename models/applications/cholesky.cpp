#include "models/applications/cholesky.hpp"

#include <array>
#include <cmath>

#include "factosim/sequential_task_flow.hpp"

namespace factosim {

namespace {

class CholeskyFlow {
 public:
  explicit CholeskyFlow(ApplicationParameters const& p)
      : nt_(p.nt), flushes_diagonal_(p.variant == "starpu-mpi") {
    std::vector<Kernel> const kernels = cholesky_kernels(p);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&potrf_, &trsm_, &syrk_, &gemm_}) *id = flow_.add_kernel(*kernel++);
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n <= m; ++n) flow_.add_handle({.size = tile_bytes(p), .m = m, .n = n});
  }

  TaskGraph build() && {
    for (int k = 0; k < nt_; ++k) {
      int const base = 2 * nt_ - 2 * k;
      std::array const diagonal{DataAccess{tile(k, k), Access::read_write}};
      flow_.submit(potrf_, base, {k, k, k}, diagonal);
      for (int m = k + 1; m < nt_; ++m) trsm(k, m, base - m);
      flow_.wont_use(tile(k, k));
      for (int n = k + 1; n < nt_; ++n) {
        syrk(k, n, base - n);
        for (int m = n + 1; m < nt_; ++m) gemm(k, m, n, base - m - n);
        flow_.wont_use(tile(n, k));
      }
    }
    return std::move(flow_).finish();
  }

 private:
  /// Tiles of the lower triangle, row after row.
  [[nodiscard]] static HandleId tile(int m, int n) { return HandleId{m * (m + 1) / 2 + n}; }

  void trsm(int k, int m, int priority) {
    std::array const accesses{DataAccess{tile(k, k), Access::read},
                              DataAccess{tile(m, k), Access::read_write}};
    TaskId const task = flow_.submit(trsm_, priority, {k, m, k}, accesses);
    if (flushes_diagonal_) flow_.flush_inputs(task);
  }
  void syrk(int k, int n, int priority) {
    std::array const accesses{DataAccess{tile(n, k), Access::read},
                              DataAccess{tile(n, n), Access::read_write}};
    flow_.submit(syrk_, priority, {k, n, n}, accesses);
  }
  void gemm(int k, int m, int n, int priority) {
    std::array const accesses{DataAccess{tile(m, k), Access::read}, DataAccess{tile(n, k), Access::read},
                              DataAccess{tile(m, n), Access::read_write}};
    flow_.submit(gemm_, priority, {k, m, n}, accesses);
  }

  int nt_;
  bool flushes_diagonal_;
  SequentialTaskFlow flow_;
  KernelId potrf_, trsm_, syrk_, gemm_;
};

}  // namespace

TaskGraph build_cholesky(ApplicationParameters const& p) { return CholeskyFlow(p).build(); }

std::vector<Kernel> cholesky_kernels(ApplicationParameters const& p) {
  double const nb3 = std::pow(p.nb, 3);
  return {{.name = "potrf", .flops = {nb3 / 3}, .asynchronous_on_gpu = false},
          {.name = "trsm", .flops = {nb3}},
          {.name = "syrk", .flops = {nb3}},
          {.name = "gemm", .flops = {2 * nb3}}};
}

Flops cholesky_flops(ApplicationParameters const& p) {
  return {std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
}

}  // namespace factosim
