#include "simulator/report/analysis/distinction.hpp"

#include <cmath>

#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

constexpr double of_difference = 0.95;  // probability that the interval holds it

}  // namespace

std::vector<double> repetitions_of_result(JsonReader const& result) {
  std::vector<double> out;
  for (char const* const key : {"sensitivity", "replicas"}) {
    auto const repeated = result.find(key);
    if (!repeated || !out.empty()) continue;
    for (JsonReader const& value : repeated->at("makespan_s").at("values").elements())
      out.push_back(value.non_negative());
  }
  return out;
}

std::optional<Distinction> distinguish(double a_s, std::vector<double> const& repetitions_a, double b_s,
                                       std::vector<double> const& repetitions_b) {
  Moments const a = moments(repetitions_a), b = moments(repetitions_b);
  if (a.count < 2 && b.count < 2) return std::nullopt;
  Distinction out{.both = a.count >= 2 && b.count >= 2};
  if (out.both) {
    out.half_width_s = difference_half_width(a, b, of_difference);
    out.means_difference_s = b.mean - a.mean;
  } else {
    Moments const& known = a.count >= 2 ? a : b;
    out.half_width_s = difference_half_width(known, known, of_difference);
  }
  double const difference = b_s - a_s;
  out.distinct = std::abs(difference) > out.half_width_s && difference * out.means_difference_s >= 0;
  return out;
}

}  // namespace factosim
