#include "models/device_peaks.hpp"

#include <array>
#include <utility>

namespace factosim {

namespace {

struct Peak {
  std::string_view name;
  double double_gflops;
  double single_gflops;
};

// Cores: highest turbo clock x operations a cycle (Intel ARK: SSE 4, AVX2 with FMA 16, two AVX-512 units 32
// in double precision; twice that in single). GPUs: NVIDIA's data sheets at boost clock.
constexpr std::array known_peaks = {
    Peak{"X5650", 12.2, 24.5},        // 3.06 GHz
    Peak{"E5-2680 v3", 52.8, 105.6},  // 3.3 GHz
    Peak{"E5-2683 v4", 48.0, 96.0},   // 3.0 GHz
    Peak{"E5-2630 v4", 49.6, 99.2},   // 3.1 GHz
    Peak{"E5-2680 v4", 52.8, 105.6},  // 3.3 GHz
    Peak{"Gold 6126", 118.4, 236.8},  // 3.7 GHz
    Peak{"Gold 6148", 118.4, 236.8},  // 3.7 GHz
    Peak{"M2070", 515, 1030},        Peak{"C2050", 515, 1030},
    Peak{"K40m", 1682, 5046},        Peak{"P100", 4760, 9526},     // PCIe card
    Peak{"V100", 7800, 15700},                                     // SXM2; the PCIe card has 7000 and 14000
    Peak{"GTX 1080 Ti", 354, 11340}, Peak{"A100", 19500, 156000},  // tensor cores: FP64, TF32
};

// Above every core on sale (Zen 5: two AVX-512 units at 5.7 GHz) and every GPU (MI300X: 163.4 TFlop/s in
// matrix operations of both precisions; BLAS libraries use TF32 only on request).
constexpr Peak any_core{"", 183, 366};
constexpr Peak any_gpu{"", 163.4e3, 163.4e3};

}  // namespace

double peak_flops_per_second(std::string_view model, bool is_gpu, Precision precision) {
  Peak peak = is_gpu ? any_gpu : any_core;
  for (Peak const& known : known_peaks)
    if (model.find(known.name) != std::string_view::npos) peak = known;
  return 1e9 * (precision == Precision::double_ ? peak.double_gflops : peak.single_gflops);
}

double nominal_flops(std::string_view kernel, int nb) {
  constexpr std::array<std::pair<std::string_view, double>, 11> cubes = {
      {{"gemm", 2.0},
       {"trsm", 1.0},
       {"trsm_ll", 1.0},
       {"trsm_ru", 1.0},
       {"syrk", 1.0},
       {"potrf", 1.0 / 3},
       {"getrf", 2.0 / 3},
       {"geqrt", 4.0 / 3},
       {"ormqr", 2.0},
       // the minimum, with a triangular tile
       {"tpqrt", 2.0 / 3},
       {"tpmqrt", 2.0}}};
  double const side = nb;
  for (auto const& [name, factor] : cubes)
    if (name == kernel) return factor * side * side * side;
  return 0;
}

}  // namespace factosim
