#include "models/applications/gemm.hpp"

#include <array>
#include <cmath>

#include "factosim/sequential_task_flow.hpp"

namespace factosim {

TaskGraph build_gemm(ApplicationParameters const& p) {
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
      std::array const a{DataAccess{tile(1, i, k), Access::write}};
      flow.submit(load, 3 * nt - 3 * k, {k, i, k}, a);
      std::array const b{DataAccess{tile(2, k, i), Access::write}};
      flow.submit(load, 3 * nt - 3 * k, {k, k, i}, b);
    }
  for (int k = 0; k < nt; ++k) {
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n < nt; ++n) {
        std::array const accesses{DataAccess{tile(1, m, k), Access::read},
                                  DataAccess{tile(2, k, n), Access::read},
                                  DataAccess{tile(0, m, n), Access::read_write}};
        flow.submit(gemm, 3 * nt - (2 * k + 1), {k, m, n}, accesses);
      }
  }
  return std::move(flow).finish();
}

std::vector<Kernel> gemm_kernels(ApplicationParameters const& p) {
  return {{.name = "gemm", .flops = {2 * std::pow(p.nb, 3)}},
          {.name = "load", .flops = {0}, .is_free = true}};
}

Flops gemm_flops(ApplicationParameters const& p) {
  return {2 * std::pow(static_cast<double>(p.nt) * p.nb, 3)};
}

}  // namespace factosim
