#include "distributions/ring/brute_force_shares.hpp"

#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

namespace {

double delay(std::span<double const> rates, std::span<double const> weights) {
  double sum = 0;
  for (std::size_t p = 0; p < rates.size(); ++p) sum += weights[p] / rates[p];
  return sum;
}

}  // namespace

std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights) {
  std::size_t const paths = weights.size();
  FACTOSIM_EXPECT(paths > 0 && paths <= 6, "brute force on more than a few paths");
  std::vector<double> centre;
  for (double const g : weights) centre.push_back(std::sqrt(g));
  std::vector<double> best = max_min_rates(limits, centre);
  if (limits.shared.empty()) return best;
  double minimum = delay(best, weights);
  for (double ratio : {2.0, 1.4, 1.15, 1.05}) {  // between neighbouring grid points
    std::vector<double> const around = centre;
    std::vector<double> tried = around;
    std::size_t combinations = 1;
    for (std::size_t p = 1; p < paths; ++p) combinations *= 5;
    for (std::size_t c = 0; c < combinations; ++c) {
      // the first one is fixed: only proportions matter
      for (std::size_t p = 1, digits = c; p < paths; ++p, digits /= 5)
        tried[p] = around[p] * std::pow(ratio, static_cast<double>(digits % 5) - 2);
      std::vector<double> rates = max_min_rates(limits, tried);
      if (double const sum = delay(rates, weights); sum < minimum) {
        minimum = sum;
        best = std::move(rates);
        centre = tried;
      }
    }
  }
  return best;
}

}  // namespace factosim
