#include "simulator/analysis/curve_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace factosim {

namespace {

constexpr double tie = 1e-9;  // relative

CurvePoint const* point_at(Curve const& curve, double x) {
  auto const found =
      std::find_if(curve.points.begin(), curve.points.end(), [&](CurvePoint const& p) { return p.x == x; });
  return found == curve.points.end() ? nullptr : &*found;
}

bool overlap(CurvePoint const& a, CurvePoint const& b) {
  if (!a.spread || !b.spread) return false;
  return a.spread->ci95_low <= b.spread->ci95_high && b.spread->ci95_low <= a.spread->ci95_high;
}

constexpr double probability = 0.95;  // of the interval of the difference of two runs

Moments moments_of(Spread const& s) { return moments(s.values); }

/// Returns the difference if an interval for that of two single runs contains it.
std::optional<IndistinctPoint> indistinct(CurvePoint const& point, CurvePoint const& base) {
  if (!point.spread || !base.spread) return std::nullopt;
  double const difference = std::abs(point.y - base.y);
  double const within =
      difference_half_width(moments_of(*point.spread), moments_of(*base.spread), probability);
  if (difference > within) return std::nullopt;
  return IndistinctPoint{base.x, difference / std::abs(base.y), within / std::abs(base.y)};
}

std::string range(std::pair<double, double> const& r) {
  return r.first == r.second ? fmt::format("{:g}", r.first) : fmt::format("{:g} to {:g}", r.first, r.second);
}

CurveComparison compare(Curve const& curve, Curve const& baseline, bool more) {
  CurveComparison out{
      .name = curve.name, .baseline = baseline.name, .ratios = {}, .better = {}, .indistinct = {}};
  bool was_better = false;
  for (CurvePoint const& base : baseline.points) {
    CurvePoint const* const point = point_at(curve, base.x);
    if (point == nullptr || base.y == 0) continue;
    double const ratio = point->y / base.y;
    out.ratios.emplace_back(base.x, ratio);
    bool const better = more ? ratio > 1 + tie : ratio < 1 - tie;
    if (better) {
      if (was_better)
        out.better.back().second = base.x;
      else
        out.better.emplace_back(base.x, base.x);
      if (overlap(*point, base)) out.sure = false;
      if (auto const doubt = indistinct(*point, base)) out.indistinct.push_back(*doubt);
    }
    was_better = better;
  }
  return out;
}

}  // namespace

bool more_is_better(std::string const& metric) {
  constexpr std::array<std::string_view, 5> rates{"gflops", "efficiency", "speedup", "utilization",
                                                  "utilization_first_90"};
  return std::find(rates.begin(), rates.end(), metric) != rates.end();
}

std::string CurveComparison::description(std::string const& x) const {
  if (ratios.empty()) return fmt::format("{} and {} have no point in common", name, baseline);
  std::string doubt = sure ? "" : " (confidence intervals overlap somewhere)";
  if (!indistinct.empty()) {
    IndistinctPoint const& first = indistinct.front();
    doubt += fmt::format(
        " (single runs not distinguishable at {} of {} points: at {} {:g} the difference of {:.1f} % "
        "is within {:.1f} %)",
        indistinct.size(), ratios.size(), x, first.x, 100 * first.difference, 100 * first.within);
  }
  if (better.empty()) return fmt::format("{} never beats {}", name, baseline);
  double const first = ratios.front().first, last = ratios.back().first;
  if (better.size() == 1 && better.front() == std::pair{first, last})
    return fmt::format("{} beats {} everywhere{}", name, baseline, doubt);
  std::vector<std::string> where;
  for (auto const& interval : better)
    where.push_back(interval.second == last ? fmt::format("from {:g} on", interval.first) : range(interval));
  return fmt::format("{} beats {} at {} {}{}", name, baseline, x, fmt::join(where, ", "), doubt);
}

std::vector<CurveComparison> compare_curves(CurveChart const& chart, std::string const& baseline,
                                            std::string const& metric) {
  std::vector<CurveComparison> out;
  for (Curve const& base : chart.curves) {
    if (base.name != baseline) continue;
    for (Curve const& curve : chart.curves)
      if (curve.name != baseline) out.push_back(compare(curve, base, more_is_better(metric)));
  }
  return out;
}

}  // namespace factosim
