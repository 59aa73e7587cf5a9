#include "models/device_peaks.hpp"

#include <array>
#include <utility>

namespace factosim {

namespace {

/// GFlop/s. Zero: none of its own (the elements are converted, and computed in single precision).
struct Peak {
  std::string_view name;
  double double_precision;
  double single_precision;
  double tf32 = 0, half = 0, bfloat16 = 0, fp8 = 0;
};

// Cores: highest turbo clock x operations a cycle (Intel ARK: SSE 4, AVX2 with FMA 16, two AVX-512 units 32
// in double precision; twice that in single). GPUs: data sheets at boost clock, of dense matrices; those with matrix
// units in double precision: of these.
constexpr std::array known_peaks = {
    Peak{"X5650", 12.2, 24.5},        // 3.06 GHz
    Peak{"E5-2680 v3", 52.8, 105.6},  // 3.3 GHz
    Peak{"E5-2683 v4", 48.0, 96.0},   // 3.0 GHz
    Peak{"E5-2630 v4", 49.6, 99.2},   // 3.1 GHz
    Peak{"E5-2680 v4", 52.8, 105.6},  // 3.3 GHz
    Peak{"Gold 6126", 118.4, 236.8},  // 3.7 GHz
    Peak{"Gold 6148", 118.4, 236.8},  // 3.7 GHz
    Peak{"M2070", 515, 1030},
    Peak{"C2050", 515, 1030},
    Peak{"K40m", 1682, 5046},
    Peak{"P100", 4760, 9526, 0, 18700},    // PCIe card
    Peak{"V100", 7800, 15700, 0, 125000},  // SXM2; the PCIe card has 7000, 14000, 112000
    Peak{"GTX 1080 Ti", 354, 11340},
    Peak{"A100", 19500, 19500, 156000, 312000, 312000},
    Peak{"H100", 67000, 67000, 494700, 989400, 989400, 1978900},
    Peak{"H200", 67000, 67000, 494700, 989400, 989400, 1978900},  // GH200 too
    Peak{"MI210", 45300, 45300, 0, 181000, 181000},
    Peak{"MI250", 47900, 47900, 0, 191500, 191500},  // one die
    Peak{"MI300A", 122600, 122600, 490300, 980600, 980600, 1961200},
};

// Above every core on sale (Zen 5: two AVX-512 units at 5.7 GHz; AMX: 2048 operations a cycle in bfloat16 and half at 4.2 GHz)
// and every GPU (MI300X in double and single; MI355X). BLAS libraries use TF32 in single precision only on request.
constexpr Peak any_core{"", 183, 366, 366, 8600, 8600, 8600};
constexpr Peak any_gpu{"", 163.4e3, 163.4e3, 1.26e6, 2.52e6, 2.52e6, 5.04e6};

double gflops(Peak const& peak, Precision precision) {
  switch (precision) {
    case Precision::double_:
      return peak.double_precision;
    case Precision::single_:
      return peak.single_precision;
    case Precision::tf32:
      return peak.tf32;
    case Precision::half:
      return peak.half;
    case Precision::bfloat16:
      return peak.bfloat16;
    case Precision::fp8:
      return peak.fp8;
  }
  return 0;
}

}  // namespace

double peak_flops_per_second(std::string_view model, bool is_gpu, Precision precision) {
  Peak peak = is_gpu ? any_gpu : any_core;
  for (Peak const& known : known_peaks)
    if (model.find(known.name) != std::string_view::npos) peak = known;
  double const own = gflops(peak, precision);
  return 1e9 * (own > 0 ? own : peak.single_precision);
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
