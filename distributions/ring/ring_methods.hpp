#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "distributions/ring/refine_ring.hpp"
#include "distributions/ring/ring.hpp"

namespace factosim {

/// How a ring is found.
enum class RingMethod {
  slice_ring,   // the slides' first heuristic, made feasible on the real links
  shared_ring,  // the slides' second, the greedy
  search,       // local search from what both find
  exact,        // branch and bound
};
[[nodiscard]] std::string_view name_of(RingMethod method);
[[nodiscard]] std::vector<std::string> ring_method_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] RingMethod ring_method(std::string_view name);

[[nodiscard]] std::string_view name_of(RingRefinement refinement);
[[nodiscard]] std::vector<std::string> ring_refinement_names();
[[nodiscard]] RingRefinement ring_refinement(std::string_view name);

/// More processors than this would take `exact` longer than anybody waits.
inline constexpr std::size_t max_processors_of_exact = 7;

/// The ring that the method finds; slice-ring's has the bandwidths that it believes in. Throws
/// InfeasibleError where nothing computes.
Ring find_ring(RingProblem const& problem, RingMethod method);

/// That ring with its links shared as `refinement` says; `none` leaves slice-ring with max-min fairness,
/// since what it believes in exceeds the links, and search and exact with the quadratic program that they
/// use.
Ring feasible_ring(RingProblem const& problem, RingMethod method, Ring found, RingRefinement refinement);

/// Both.
Ring find_ring(RingProblem const& problem, RingMethod method, RingRefinement refinement);

}  // namespace factosim
