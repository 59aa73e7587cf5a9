#include "distributions/estimate_errors.hpp"

#include <cmath>
#include <cstddef>

namespace factosim {

namespace {

constexpr double prior_weight = 0.3;      // of the mean of all errors
constexpr double prior_deviation = 0.06;  // of the errors of unlike members

}  // namespace

EstimateErrors::Place EstimateErrors::place(FamilyMember const& m) const {
  double const nodes = m.nodes == 0 ? nodes_ : m.nodes;
  return {std::log(nodes) / 0.3, std::log2(m.column_cost), m.exponent / 0.2, 2 * std::log2(0.5 + m.borders),
          m.rounds > 0 ? 0.5 : 0};
}

int EstimateErrors::nodes_class(FamilyMember const& member) const {
  return static_cast<int>(std::lround(place(member).front()));
}

void EstimateErrors::add(FamilyMember const& member, double error) {
  known_.push_back({place(member), error});
  sum_ += error;
}

EstimateErrors::Expected EstimateErrors::expected(FamilyMember const& member) const {
  if (known_.empty()) return {.error = 0, .deviation = prior_deviation};
  double const mean = sum_ / static_cast<double>(known_.size());
  Place const at = place(member);
  double weights = 0, weighted = 0;
  for (Known const& known : known_) {
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i) square += (at[i] - known.place[i]) * (at[i] - known.place[i]);
    double const weight = std::exp(-square / 2);
    weights += weight;
    weighted += weight * (known.error - mean);
  }
  return {.error = mean + weighted / (weights + prior_weight),
          .deviation = prior_deviation * std::sqrt(prior_weight / (weights + prior_weight))};
}

}  // namespace factosim
