#include "models/applications/estimated_timings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "models/applications/tile_formats.hpp"

namespace factosim {

KernelModel cycle_time_model(std::string const& machine, Seconds cycle_time, std::span<Kernel const> kernels,
                             ApplicationParameters const& p) {
  FACTOSIM_EXPECT(cycle_time.value > 0, "a cycle-time above 0");
  KernelModel model{
      .machine = machine,
      .provenance = fmt::format("Not measured: one tile update takes {} s, by \"cycle_time_s\" of the "
                                "platform, and other kernels what they count at that rate.",
                                cycle_time.value),
      .estimate = true};
  double const rate = 2 * std::pow(p.nb, 3) / cycle_time.value;
  for (Kernel const& kernel : kernels)
    model.timings.push_back({.kernel = timing_name(kernel),
                             .precision = kernel.precision.value_or(p.precision),
                             .worker = "cpu",
                             .rate = {.flops_per_second = rate}});
  return model;
}

namespace {

/// Estimates for one worker of a machine.
class FormatTimings {
 public:
  FormatTimings(KernelModel const& model, std::string const& application, std::string const& worker,
                ApplicationParameters const& p)
      : model_(model), application_(application), worker_(worker), p_(p) {}

  /// Returns an estimate of the kernel; nothing where what it is derived from is not known.
  [[nodiscard]] std::optional<KernelTiming> estimate(Kernel const& kernel) const {
    std::string const& name = timing_name(kernel);
    Precision const precision = kernel.precision.value_or(p_.precision);
    int const size = tile_size(kernel, p_.nb);
    KernelTiming out{.kernel = name, .precision = precision, .worker = worker_};
    if (name == "convert") {
      if (timing("gemm", p_.precision, size) == nullptr) return {};
      out.rate = {.flops_per_second = conversion_Bps()};
      return out;
    }
    if (name.ends_with("_lr")) {
      KernelTiming const* const gemm = timing("gemm", precision, size);
      if (gemm == nullptr) return {};
      double const nb = size, flops = 2 * nb * nb * nb;
      out.rate = gemm->rate;  // launch, and the range of tiles
      double const full = gemm->nb > 0 ? flops / gemm->mean.value : gemm->rate.flops_per_second;
      out.rate.flops_per_second = p_.formats->low_rank_efficiency * full;
      return out;
    }
    bool const triangular = name == "potrf" || name == "trsm";
    if (!triangular || element_bytes(precision) >= element_bytes(Precision::single_)) return {};
    KernelTiming const* const single = timing(name, Precision::single_, size);
    if (single == nullptr) return {};
    double const nb = size, converted = 2 * nb * nb * (element_bytes(precision) + 4.0);
    out.nb = size;
    out.mean = {duration_by(*single, size, kernel.flops).value + converted / conversion_Bps()};
    return out;
  }

 private:
  [[nodiscard]] double conversion_Bps() const {
    return worker_ == "cpu" ? p_.formats->core_conversion_Bps : p_.formats->gpu_conversion_Bps;
  }
  [[nodiscard]] KernelTiming const* timing(std::string const& kernel, Precision precision, int nb) const {
    return model_.timing(kernel, application_, precision, worker_, nb);
  }

  KernelModel const& model_;
  std::string const& application_;
  std::string const& worker_;
  ApplicationParameters const& p_;
};

}  // namespace

void add_format_timings(KernelModel& model, std::string const& application, std::span<Kernel const> kernels,
                        ApplicationParameters const& p) {
  std::set<std::string> workers;
  for (KernelTiming const& timing : model.timings) workers.insert(timing.worker);
  std::vector<KernelTiming> added;
  std::set<std::tuple<std::string, Precision, int>> done;
  std::set<std::string> names;
  for (Kernel const& kernel : kernels) {
    Precision const precision = kernel.precision.value_or(p.precision);
    int const nb = tile_size(kernel, p.nb);
    if (kernel.is_free || !done.emplace(timing_name(kernel), precision, nb).second) continue;
    for (std::string const& worker : workers) {
      if (model.timing(timing_name(kernel), application, precision, worker, nb) != nullptr) continue;
      if (auto estimate = FormatTimings(model, application, worker, p).estimate(kernel)) {
        added.push_back(std::move(*estimate));
        names.insert(fmt::format("{} {}", name_of(precision), timing_name(kernel)));
      }
    }
  }
  if (added.empty()) return;
  model.timings.insert(model.timings.end(), added.begin(), added.end());
  model.estimate = true;
  model.provenance += fmt::format(
      "{}Estimated for tile_formats, not measured: {} (conversions at {:.3g} B/s on a core and {:.3g} B/s on "
      "a GPU, low rank at {:.3g} of gemm's rate).",
      model.provenance.empty() ? "" : " ", fmt::join(names, ", "), p.formats->core_conversion_Bps,
      p.formats->gpu_conversion_Bps, p.formats->low_rank_efficiency);
}

}  // namespace factosim
