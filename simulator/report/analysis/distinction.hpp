#pragma once

#include <optional>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Returns the makespans of the further runs in a result.json: perturbed ones (`sensitivity`), else replicas;
/// empty without either.
[[nodiscard]] std::vector<double> repetitions_of_result(JsonReader const& result);

/// Whether two runs differ by more than single runs of the same scenarios do.
struct Distinction {
  double half_width_s = 0;        // of the 95 % interval of the difference between one further run of each
  double means_difference_s = 0;  // of the repetitions, second minus first; 0 where one run has none
  bool both = true;               // both runs have repetitions; else those of one count for both
  bool distinct = false;
};

/// Compares two makespans, in seconds, by their repetitions. They are distinct if their difference is beyond the
/// interval, and has the sign of the difference of the means. Nothing if neither run has two repetitions.
[[nodiscard]] std::optional<Distinction> distinguish(double a_s, std::vector<double> const& repetitions_a,
                                                     double b_s, std::vector<double> const& repetitions_b);

}  // namespace factosim
