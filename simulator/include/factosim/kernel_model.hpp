#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Elements of a matrix and the arithmetic on them. `tf32`: single-precision elements, of which matrix units multiply 19
/// bits. The three shortest are multiplied by matrix units too, which add up in single precision.
enum class Precision { single_, double_, tf32, half, bfloat16, fp8 };

struct PrecisionInfo {
  Precision precision;
  std::string_view name;    // in files
  std::string_view prefix;  // of the name of a kernel: "dgemm"
  int element_bytes;
};

inline constexpr std::array precisions{PrecisionInfo{Precision::single_, "single", "s", 4},
                                       PrecisionInfo{Precision::double_, "double", "d", 8},
                                       PrecisionInfo{Precision::tf32, "tf32", "tf32 ", 4},
                                       PrecisionInfo{Precision::half, "half", "h", 2},
                                       PrecisionInfo{Precision::bfloat16, "bfloat16", "bf16 ", 2},
                                       PrecisionInfo{Precision::fp8, "fp8", "fp8 ", 1}};

[[nodiscard]] constexpr PrecisionInfo const& info_of(Precision p) {
  return precisions[static_cast<std::size_t>(p)];
}
[[nodiscard]] constexpr int element_bytes(Precision p) { return info_of(p).element_bytes; }
[[nodiscard]] constexpr std::string_view name_of(Precision p) { return info_of(p).name; }

/// Returns the precision of that name; nullopt if it is none.
[[nodiscard]] constexpr std::optional<Precision> precision_named(std::string_view name) {
  for (PrecisionInfo const& p : precisions)
    if (p.name == name) return p.precision;
  return std::nullopt;
}

/// Factor of a kernel's duration on a core, by the number of cores of its socket that run kernels, its own
/// included: given for some numbers, linear between them, constant outside. Without points: 1.
struct Slowdown {
  struct Point {
    int busy_cores;
    double factor;
  };
  std::vector<Point> points{};  // by busy cores

  [[nodiscard]] double at(int busy_cores) const;
};

/// Estimated durations for all tile sizes of a range:
/// launch + per_column nb + per_element nb^2 + flops / flops_per_second.
struct KernelRate {
  double flops_per_second = 0;  // asymptotic
  Seconds launch{};
  Seconds per_column{};   // latency of the sequential part
  Seconds per_element{};  // of a tile: memory traffic, and compute units that small tiles leave idle
  int min_nb = 1;
  int max_nb = 1'000'000;
};

/// Measured (or estimated) durations of one kernel on one kind of worker.
struct KernelTiming {
  std::string kernel;         // "gemm", "getrf", "trsm_ll", ...
  std::string application{};  // "lu", "cholesky": measured inside that application only; empty: any
  Precision precision = Precision::double_;
  std::string worker;   // "cpu", "cuda0", "cuda1", ...
  int nb = 0;           // tile size; 0 for a rate
  Seconds mean{};       // if nb > 0
  Seconds deviation{};  // of one execution, population standard deviation
  long samples = 0;
  std::vector<double> sample_seconds{};  // durations of single executions, where they were kept
  std::vector<double> first_seconds{};   // of the first executions on a worker, which warm up; may be empty
  KernelRate rate{};                     // if nb == 0
  std::vector<std::size_t> findings{};   // indices into KernelModel::findings
  Slowdown slowdown{};                   // on cores, of all durations above
};

/// Measured durations of the tasks of one StarPU performance model whose data have the same shapes, on one kind of worker.
struct KernelHistory {
  std::string symbol;     // of the model
  std::string footprint;  // StarPU's hash of the shapes, 8 hexadecimal digits
  std::string worker;     // "cpu", "cuda0", ...
  Seconds mean{};
  Seconds deviation{};  // of one execution, population standard deviation
  long samples = 0;
  Bytes size{};   // of the data of a task; 0: not known
  Flops flops{};  // of a task; 0: not known
};

/// The mean duration by that timing, for `flops` of work on tiles of nb.
[[nodiscard]] Seconds duration_by(KernelTiming const& timing, int nb, Flops flops);

/// What calibration knows of deviations that whole workers and whole runs have in common, as factors of
/// mean 1 on all durations. The deviation of single executions is that of the timings.
struct Variability {
  double worker_deviation = 0;            // relative, of a factor for each worker and run
  std::optional<double> run_deviation{};  // relative, of a factor for each run; nullopt: one run cannot tell
  int runs = 1;                           // independent runs that the mean of a kernel is from, at least
  int degrees_of_freedom = 0;             // of run_deviation
};

/// All timings of one machine.
struct KernelModel {
  std::string machine;
  std::string provenance;  // one paragraph: origin of the measurements and of the files
  bool estimate = false;
  std::string file{};                        // path of the kernel file
  std::vector<std::string> findings{};       // doubts about the timings
  std::optional<Variability> variability{};  // as calibrated from traces
  std::vector<KernelTiming> timings{};
  std::vector<KernelHistory> histories{};
  std::vector<KernelTiming>
      other_timings{};  // of the file, which no task has: they tell what a GPU can do at best

  /// Calls `use(timing)` for all timings of the file, also those that no task has.
  template <class Use>
  void for_each_of_file(Use const& use) const {
    for (KernelTiming const& timing : timings) use(timing);
    for (KernelTiming const& timing : other_timings) use(timing);
  }

  /// Returns the timing, or rate, of one kernel for tiles of nb. A timing measured inside `application` takes
  /// precedence over one of no application; "trsm_ll" and "trsm_ru" fall back on "trsm", "unmqr" on
  /// "ormqr", "tsqrt" on "tpqrt", "tsmqr" on "tpmqrt". Nothing is extrapolated: no
  /// timing of that tile size, or rate whose range includes it, in that precision means null. Valid as long as the
  /// timings stay where they are.
  [[nodiscard]] KernelTiming const* timing(std::string_view kernel, std::string_view application,
                                           Precision precision, std::string_view worker, int nb) const;

  /// The mean duration by that timing, for `flops` of work; nullopt without one.
  [[nodiscard]] std::optional<Seconds> duration(std::string_view kernel, std::string_view application,
                                                Precision precision, std::string_view worker, int nb,
                                                Flops flops) const;

  /// Tile sizes for which some worker has a timing of that kernel; sorted.
  [[nodiscard]] std::vector<int> tile_sizes(std::string_view kernel, std::string_view application,
                                            Precision precision) const;

  /// Tile sizes for which some worker has a timing or a rate, as text: "320, 960", "400 to 3200".
  [[nodiscard]] std::string tile_sizes_text(std::string_view kernel, std::string_view application,
                                            Precision precision) const;
};

}  // namespace factosim
