#include "factosim/spread.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

double student_quantile(std::size_t count) {
  FACTOSIM_EXPECT(count >= 2, "a spread needs two values");
  return boost::math::quantile(boost::math::students_t(static_cast<double>(count) - 1), 0.975);
}

Spread spread_of(std::vector<double> values) {
  FACTOSIM_EXPECT(values.size() >= 2, "a spread needs two values");
  auto const count = static_cast<double>(values.size());
  Spread s;
  // Sums of differences from one of the values: equal values have a mean that is the value, deviation 0.
  for (double const v : values) s.mean += v - values.front();
  s.mean = values.front() + s.mean / count;
  double squares = 0;
  for (double const v : values) squares += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(squares / (count - 1));
  double const half_width = student_quantile(values.size()) * s.deviation / std::sqrt(count);
  s.ci95_low = s.mean - half_width;
  s.ci95_high = s.mean + half_width;
  s.values = std::move(values);
  return s;
}

}  // namespace factosim
