#include "simulator/scenario/simulation/makespan_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace factosim {

namespace {

using Parameters = std::array<double, 3>;  // excess, pace, sharpness

constexpr Parameters least{1, 1, 1.2}, most{2.5, 4, 8};
constexpr int points = 9, zooms = 7;  // of the search: points of each parameter; refinements around the best

double square(double x) { return x * x; }

MakespanModel model_of(Parameters const& p) { return {p[0], p[1], p[2]}; }

double makespan_of(MakespanModel const& model, IterationSample const& s) {
  return model.makespan(s.load, s.path);
}

double misfit(MakespanModel const& model, std::span<IterationSample const> tails,
              std::span<double const> weights, IterationSlope const& slope) {
  double out = 0;
  for (std::size_t i = 0; i < tails.size(); ++i)
    out += weights[i] * square(std::log(makespan_of(model, tails[i]) / tails[i].makespan));
  double const simulated = slope.longer.makespan - slope.shorter.makespan;
  double const modelled = makespan_of(model, slope.longer) - makespan_of(model, slope.shorter);
  if (slope.weight > 0 && simulated > 0 && modelled > 0)
    out += slope.weight * square(std::log(modelled / simulated));
  return out;
}

}  // namespace

double MakespanModel::makespan(double load, double path) const {
  double const work = excess * load, panels = pace * path, longer = std::max(work, panels);
  if (!(longer > 0)) return 0;
  return longer * std::pow(1 + std::pow(std::min(work, panels) / longer, sharpness), 1 / sharpness);
}

MakespanModel fit_makespan(std::span<IterationSample const> tails, std::span<double const> weights,
                           IterationSlope const& slope) {
  Parameters low = least, high = most, best = least;
  double least_misfit = std::numeric_limits<double>::infinity();
  for (int zoom = 0; zoom < zooms; ++zoom) {
    auto const value = [&](std::size_t i, int step) {
      return low[i] + (high[i] - low[i]) * step / (points - 1);
    };
    for (int a = 0; a < points; ++a)
      for (int b = 0; b < points; ++b)
        for (int c = 0; c < points; ++c) {
          Parameters const p{value(0, a), value(1, b), value(2, c)};
          double const here = misfit(model_of(p), tails, weights, slope);
          if (here < least_misfit) least_misfit = here, best = p;
        }
    for (std::size_t i = 0; i < best.size(); ++i) {
      double const reach = (high[i] - low[i]) / 4;
      low[i] = std::max(least[i], best[i] - reach);
      high[i] = std::min(most[i], best[i] + reach);
    }
  }
  return model_of(best);
}

}  // namespace factosim
