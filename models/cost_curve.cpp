#include "models/cost_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace factosim {

namespace {

void check_positive(double value, char const* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(
        fmt::format("{} is {} (the unit would never end a block). Give a positive number", what, value));
}

void check_startup(Seconds startup) {
  if (!(startup.value >= 0) || !std::isfinite(startup.value))
    throw std::invalid_argument(fmt::format(
        "the startup is {} s (a block would end before it starts). Give a number >= 0", startup.value));
}

void check(CostCurve::Linear const& c) {
  check_startup(c.startup);
  check_positive(c.rate, "the speed");
}

void check(CostCurve::Saturating const& c) {
  check_startup(c.startup);
  check_positive(c.peak, "the speed");
  check_positive(c.ramp, "the ramp");
}

void check(CostCurve::Samples const& c) {
  if (c.work.size() < 2 || c.work.size() != c.seconds.size())
    throw std::invalid_argument(fmt::format(
        "{} amounts of work and {} durations (a curve needs as many of each, and two at least). Add "
        "what is missing",
        c.work.size(), c.seconds.size()));
  for (std::size_t i = 0; i < c.work.size(); ++i) {
    check_positive(c.work[i], "the work of a sample");
    check_positive(c.seconds[i].value, "the duration of a sample");
    if (i > 0 && (c.work[i] <= c.work[i - 1] || c.seconds[i] <= c.seconds[i - 1]))
      throw std::invalid_argument(fmt::format(
          "sample {} has {} of work in {} s after {} in {} s (the curve is not monotone: more work must "
          "take longer). Sort the samples, and leave out or average the odd ones",
          i, c.work[i], c.seconds[i].value, c.work[i - 1], c.seconds[i - 1].value));
  }
}

double seconds(CostCurve::Linear const& c, double work) { return c.startup.value + work / c.rate; }

double seconds(CostCurve::Saturating const& c, double work) {
  return c.startup.value + work / (c.peak * -std::expm1(-work / c.ramp));
}

double seconds(CostCurve::Samples const& c, double work) {
  auto const above = std::upper_bound(c.work.begin() + 1, c.work.end() - 1, work);
  auto const i = static_cast<std::size_t>(above - c.work.begin());
  double const slope = (c.seconds[i] - c.seconds[i - 1]).value / (c.work[i] - c.work[i - 1]);
  double const first = c.seconds[0].value;
  double const extended = c.seconds[i - 1].value + slope * (work - c.work[i - 1]);
  // Below the first sample a steep first segment would cross zero; the line from the origin is used there.
  return work < c.work[0] ? std::max(extended, first * work / c.work[0]) : extended;
}

}  // namespace

CostCurve::CostCurve(Shape shape) : shape_(std::move(shape)) {
  std::visit([](auto const& c) { check(c); }, shape_);
}

Seconds CostCurve::duration(double work) const {
  return {std::visit([work](auto const& c) { return seconds(c, work); }, shape_)};
}

}  // namespace factosim
