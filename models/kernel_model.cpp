#include "factosim/kernel_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/interpolation.hpp"

namespace factosim {

namespace {

using Name = std::pair<std::string_view, std::string_view>;  // kernel, application

constexpr std::array<Name, 5> other_names{
    {{"trsm_ll", "trsm"}, {"trsm_ru", "trsm"}, {"unmqr", "ormqr"}, {"tsqrt", "tpqrt"}, {"tsmqr", "tpmqrt"}}};

/// Names under which the timing of a kernel may be stored, best match first. trsm_ll and trsm_ru are the two
/// solves of LU; some applications time them separately, others together. Chameleon names QR's unmqr after
/// its real-valued routine, and tsqrt and tsmqr after LAPACK's routines.
std::vector<Name> names_of(std::string_view kernel, std::string_view application) {
  std::vector<Name> names{{kernel, application}};
  if (!application.empty()) names.emplace_back(kernel, "");
  for (auto const& [name, other] : other_names) {
    if (kernel != name) continue;
    names.emplace_back(other, application);
    if (!application.empty()) names.emplace_back(other, "");
  }
  return names;
}

/// Returns the timings that may stand for the kernel, whatever worker and tile size they are of.
std::vector<KernelTiming const*> named(std::vector<KernelTiming> const& timings, std::string_view kernel,
                                       std::string_view application, Precision precision) {
  std::vector<Name> const names = names_of(kernel, application);
  std::vector<KernelTiming const*> found;
  for (KernelTiming const& t : timings)
    if (t.precision == precision && std::ranges::find(names, Name{t.kernel, t.application}) != names.end())
      found.push_back(&t);
  return found;
}

}  // namespace

double Slowdown::at(int busy_cores) const {
  if (points.empty()) return 1;
  return interpolated(
      points, busy_cores, [](Point const& p) { return static_cast<double>(p.busy_cores); },
      [](Point const& p) { return p.factor; });
}

Seconds duration_by(KernelTiming const& timing, int nb, Flops flops) {
  if (timing.nb > 0) return timing.mean;
  KernelRate const& rate = timing.rate;
  return {rate.launch.value + rate.per_column.value * nb + rate.per_element.value * nb * nb +
          flops.value / rate.flops_per_second};
}

KernelTiming const* KernelModel::timing(std::string_view kernel, std::string_view application,
                                        Precision precision, std::string_view worker, int nb) const {
  FACTOSIM_EXPECT(nb > 0, "a tile size of at least 1");
  for (auto const& [name, within] : names_of(kernel, application)) {
    for (int size : std::array{nb, 0}) {  // a timing of that size, otherwise a rate
      auto const found =
          std::find_if(timings.begin(), timings.end(), [&, &n = name, &w = within](auto const& t) {
            return t.kernel == n && t.application == w && t.precision == precision && t.worker == worker &&
                   t.nb == size && (size > 0 || (t.rate.min_nb <= nb && nb <= t.rate.max_nb));
          });
      if (found != timings.end()) return &*found;
    }
  }
  return nullptr;
}

std::optional<Seconds> KernelModel::duration(std::string_view kernel, std::string_view application,
                                             Precision precision, std::string_view worker, int nb,
                                             Flops flops) const {
  KernelTiming const* const found = timing(kernel, application, precision, worker, nb);
  if (found == nullptr) return std::nullopt;
  return duration_by(*found, nb, flops);
}

std::vector<int> KernelModel::tile_sizes(std::string_view kernel, std::string_view application,
                                         Precision precision) const {
  std::set<int> sizes;
  for (KernelTiming const* const t : named(timings, kernel, application, precision))
    if (t->nb > 0) sizes.insert(t->nb);
  return {sizes.begin(), sizes.end()};
}

std::string KernelModel::tile_sizes_text(std::string_view kernel, std::string_view application,
                                         Precision precision) const {
  std::set<std::pair<int, int>> ranges;
  for (KernelTiming const* const t : named(timings, kernel, application, precision))
    ranges.insert(t->nb > 0 ? std::pair(t->nb, t->nb) : std::pair(t->rate.min_nb, t->rate.max_nb));
  std::vector<std::string> texts;
  for (auto const& [least, most] : ranges)
    texts.push_back(least == most ? std::to_string(least) : fmt::format("{} to {}", least, most));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace factosim
