#include "factosim/kernel_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "factosim/error.hpp"

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

}  // namespace

double Slowdown::at(int busy_cores) const {
  if (points.empty()) return 1;
  auto const after = std::ranges::find_if(points, [&](Point const& p) { return p.busy_cores >= busy_cores; });
  if (after == points.end()) return points.back().factor;
  if (after == points.begin()) return after->factor;
  Point const &a = *(after - 1), &b = *after;
  return std::lerp(a.factor, b.factor,
                   static_cast<double>(busy_cores - a.busy_cores) / (b.busy_cores - a.busy_cores));
}

Seconds duration_by(KernelTiming const& timing, Flops flops) {
  return timing.nb == 0 ? Seconds{flops.value / timing.flops_per_second} : timing.mean;
}

KernelTiming const* KernelModel::timing(std::string_view kernel, std::string_view application,
                                        Precision precision, std::string_view worker, int nb) const {
  FACTOSIM_EXPECT(nb > 0, "a tile size of at least 1");
  for (auto const& [name, within] : names_of(kernel, application)) {
    for (int size : std::array{nb, 0}) {  // a timing of that size, otherwise a rate
      auto const found =
          std::find_if(timings.begin(), timings.end(), [&, &n = name, &w = within](auto const& t) {
            return t.kernel == n && t.application == w && t.precision == precision && t.worker == worker &&
                   t.nb == size;
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
  return duration_by(*found, flops);
}

std::vector<int> KernelModel::tile_sizes(std::string_view kernel, std::string_view application,
                                         Precision precision) const {
  std::vector<Name> const names = names_of(kernel, application);
  std::vector<int> sizes;
  for (KernelTiming const& t : timings) {
    bool const named = std::find(names.begin(), names.end(), Name{t.kernel, t.application}) != names.end();
    if (named && t.precision == precision && t.nb > 0) sizes.push_back(t.nb);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace factosim
