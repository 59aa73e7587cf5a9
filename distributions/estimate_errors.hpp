#pragma once

#include <array>
#include <vector>

#include "distributions/map_neighbours.hpp"

namespace factosim {

/// What the list schedules of some members of the family were over their estimates, and what they would be for other
/// members: an average weighted by the similarity of parameters (kernel regression, shrunk towards the mean of all).
class EstimateErrors {
 public:
  /// `nodes`: of the platform.
  explicit EstimateErrors(int nodes) : nodes_(nodes) {}

  /// `error`: logarithm of the schedule over the estimate.
  void add(FamilyMember const& member, double error);

  struct Expected {
    double error = 0;
    double deviation = 0;  // standard deviation: the less is known about similar members, the larger
  };
  /// O(members added).
  [[nodiscard]] Expected expected(FamilyMember const& member) const;

  /// Returns the class of members with about as many nodes, whose errors tell little about those of other classes.
  [[nodiscard]] int nodes_class(FamilyMember const& member) const;

 private:
  using Place =
      std::array<double, 5>;  // parameters in units in which members one apart have different errors
  struct Known {
    Place place;
    double error;
  };

  [[nodiscard]] Place place(FamilyMember const& member) const;

  int nodes_;
  std::vector<Known> known_;
  double sum_ = 0;  // of the errors
};

}  // namespace factosim
