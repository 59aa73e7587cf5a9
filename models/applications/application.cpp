#include "models/applications/application.hpp"

#include <stdexcept>

#include "models/applications/cholesky.hpp"
#include "models/applications/exageostat.hpp"
#include "models/applications/gemm.hpp"
#include "models/applications/lu.hpp"
#include "models/applications/qr.hpp"
#include "simulator/core/named_values.hpp"

namespace factosim {

std::vector<Application> const& applications() {
  static std::vector<Application> const all = {
      {.name = "lu",
       .variants = {"starpu", "chameleon"},
       .build = build_lu,
       .kernels = lu_kernels,
       .total_flops = lu_flops},
      {.name = "cholesky",
       .variants = {"starpu", "chameleon", "starpu-mpi"},
       .build = build_cholesky,
       .kernels = cholesky_kernels,
       .total_flops = cholesky_flops,
       .lower_only = true},
      {.name = "qr",
       .variants = {"chameleon"},
       .build = build_qr_on_one_node,
       .build_on = build_qr,
       .kernels = qr_kernels,
       .total_flops = qr_flops},
      {.name = "gemm",
       .variants = {"outer-product"},
       .build = build_gemm,
       .kernels = gemm_kernels,
       .total_flops = gemm_flops,
       .is_product = true},
      {.name = "exageostat",
       .variants = {"chameleon"},
       .build = build_exageostat_on_one_node,
       .build_on = build_exageostat,
       .kernels = exageostat_kernels,
       .total_flops = exageostat_flops,
       .lower_only = true},
  };
  return all;
}

Application const& application(std::string_view name) {
  for (Application const& candidate : applications())
    if (candidate.name == name) return candidate;
  throw std::out_of_range("unknown application " + std::string(name));
}

std::vector<std::string> application_names() { return names_of(applications()); }

Bytes tile_bytes(ApplicationParameters const& p) {
  return Bytes{static_cast<std::int64_t>(p.nb) * p.nb * element_bytes(p.precision)};
}

}  // namespace factosim
