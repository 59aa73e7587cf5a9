#pragma once

#include "distributions/ring/refine_ring.hpp"
#include "distributions/ring/ring.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// Algorithms that find a ring.
enum class RingMethod {
  slice_ring,       // the first heuristic of the slides, made feasible on the real links
  shared_ring,      // the second heuristic of the slides, greedy
  slice_or_shared,  // the better of these two
  search,           // local search from the rings of both
  exact,            // branch and bound
  given,            // order and paths by the user
};
/// Return the names in files; the value does not matter.
[[nodiscard]] constexpr NamedValues<RingMethod, 6> names_of(RingMethod /*any*/) {
  return {"method of a ring",
          {{{RingMethod::slice_ring, "slice-ring"},
            {RingMethod::shared_ring, "shared-ring"},
            {RingMethod::slice_or_shared, "slice-or-shared"},
            {RingMethod::search, "search"},
            {RingMethod::exact, "exact"},
            {RingMethod::given, "given"}}}};
}
[[nodiscard]] constexpr NamedValues<RingRefinement, 3> names_of(RingRefinement /*any*/) {
  return {"refinement of a ring",
          {{{RingRefinement::none, "none"},
            {RingRefinement::max_min, "max-min"},
            {RingRefinement::quadratic, "quadratic"}}}};
}

/// Maximum number of processors for `exact`, whose time is exponential.
inline constexpr std::size_t max_processors_of_exact = 7;

/// Returns the ring of the method; the ring of slice-ring has the bandwidths of its model. Not for `given`, nor for
/// slice_or_shared, whose choice depends on the refinement. Throws InfeasibleError if no vertex computes.
Ring find_ring(RingProblem const& problem, RingMethod method);

/// Returns that ring with its links shared by `refinement`. With `none`, slice-ring and a given ring get max-min
/// fairness, since the bandwidths of their model exceed the links or are unknown, and search and exact keep their
/// own optimum.
Ring feasible_ring(RingProblem const& problem, RingMethod method, Ring found, RingRefinement refinement);

/// Finds a ring and makes it feasible. Not for `given`.
Ring find_ring(RingProblem const& problem, RingMethod method, RingRefinement refinement);

}  // namespace factosim
