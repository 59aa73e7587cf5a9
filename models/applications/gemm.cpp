#include <cmath>

#include "distributions/tiles_sent.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "models/applications/application.hpp"

namespace factosim {

// The application "gemm": the product C = A B of matrices of nt x nt tiles by outer products: for each k,
// gemm of every C(m,n) with A(m,k) and B(k,n). The three matrices have one distribution; tiles of C never
// move. Before, a task `load` without operations writes each tile of A and B on its owner and takes no
// time: first column k of A and row k of B. Priorities 3 nt - 3k (load), 3 nt - (2k + 1) (gemm): iterations
// in order, and tiles before the updates that need them.
//
// Source: Agarwal, Gustavson, Zubair, IBM J. Research and Development 38(6), 1994; ScaLAPACK's product.

namespace {

std::vector<Kernel> gemm_kernels(ApplicationParameters const& p) {
  return {{.name = "gemm", .flops = {2 * std::pow(p.nb, 3)}},
          {.name = "load", .flops = {0}, .is_free = true}};
}

TaskGraph gemm_graph(ApplicationParameters const& p, TileMap const& /*map*/) {
  SequentialTaskFlow flow;
  std::vector<Kernel> const kernels = gemm_kernels(p);
  KernelId const gemm = flow.add_kernel(kernels[0]);
  KernelId const load = flow.add_kernel(kernels[1]);
  int const nt = p.nt;
  for (int matrix = 0; matrix < 3; ++matrix)  // C, A, B
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n < nt; ++n) flow.add_handle({.size = tile_bytes(p), .m = m, .n = n});
  auto const tile = [nt](int matrix, int m, int n) { return HandleId{(matrix * nt + m) * nt + n}; };
  for (int k = 0; k < nt; ++k)
    for (int i = 0; i < nt; ++i) {
      flow.submit(load, 3 * nt - 3 * k, {k, i, k}, {{tile(1, i, k), Access::write}});
      flow.submit(load, 3 * nt - 3 * k, {k, k, i}, {{tile(2, k, i), Access::write}});
    }
  for (int k = 0; k < nt; ++k) {
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n < nt; ++n) {
        flow.submit(gemm, 3 * nt - (2 * k + 1), {k, m, n},
                    {{tile(1, m, k), Access::read},
                     {tile(2, k, n), Access::read},
                     {tile(0, m, n), Access::read_write}});
      }
  }
  return std::move(flow).finish();
}

FactorizationKernels gemm_updates(ApplicationParameters const& p) {
  return {{gemm_kernels(p).front()}, {TaskKind::update}};
}

/// 2 n^3 with n = nt nb.
Flops gemm_flops(ApplicationParameters const& p) {
  return {2 * std::pow(static_cast<double>(p.nt) * p.nb, 3)};
}

double max_gemm_tasks(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * n * (n + 2);
}

}  // namespace

Application gemm_application() {
  return {
      .name = "gemm",
      .description = "matrix product C = A B",
      .variants = {"outer-product"},
      .graph = gemm_graph,
      .kernels = gemm_kernels,
      .factorization_kernels = gemm_updates,
      .total_flops = gemm_flops,
      .max_tasks = max_gemm_tasks,
      .tiles_sent = [](ApplicationParameters const&, TileMap const& map) { return product_tiles_sent(map); },
      .is_product = true};
}

}  // namespace factosim
