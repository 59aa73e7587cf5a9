#include "distributions/ring/ring_methods.hpp"

#include <algorithm>
#include <utility>

#include "distributions/ring/exact_ring.hpp"
#include "distributions/ring/improve_ring.hpp"
#include "distributions/ring/shared_ring.hpp"
#include "distributions/ring/slice_ring.hpp"
#include "simulator/core/error.hpp"
#include "simulator/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<RingMethod, 4> methods{.what = "method of a ring",
                                             .values = {{{RingMethod::slice_ring, "slice-ring"},
                                                         {RingMethod::shared_ring, "shared-ring"},
                                                         {RingMethod::search, "search"},
                                                         {RingMethod::exact, "exact"}}}};
constexpr NamedValues<RingRefinement, 3> refinements{.what = "refinement of a ring",
                                                     .values = {{{RingRefinement::none, "none"},
                                                                 {RingRefinement::max_min, "max-min"},
                                                                 {RingRefinement::quadratic, "quadratic"}}}};

/// From slice-ring's ring and from the greedy's, with their links shared anew: the best, the largest and the
/// pair, which a search from a larger or a smaller one may never come to.
Ring searched(RingProblem const& problem) {
  std::vector<Ring> steps = greedy_rings(problem);
  for (Ring& ring : steps) ring = share_links_by_delay(problem, std::move(ring));
  Ring best = best_ring(steps);
  for (Ring const& start :
       {best, steps.back(), steps[std::min<std::size_t>(1, steps.size() - 1)], slice_ring(problem)})
    if (Ring improved = improve_ring(problem, start); improved.step_s < best.step_s)
      best = std::move(improved);
  return refine_ring(problem, std::move(best), RingRefinement::quadratic);
}

}  // namespace

std::string_view name_of(RingMethod method) { return methods.name_of(method); }
std::vector<std::string> ring_method_names() { return methods.names(); }
RingMethod ring_method(std::string_view name) { return methods.named(name); }

std::string_view name_of(RingRefinement refinement) { return refinements.name_of(refinement); }
std::vector<std::string> ring_refinement_names() { return refinements.names(); }
RingRefinement ring_refinement(std::string_view name) { return refinements.named(name); }

Ring find_ring(RingProblem const& problem, RingMethod method, RingRefinement refinement) {
  switch (method) {
    case RingMethod::slice_ring:
      return refine_ring(problem, slice_ring(problem),
                         refinement == RingRefinement::none ? RingRefinement::max_min : refinement);
    case RingMethod::shared_ring:
      return refine_ring(problem, best_ring(greedy_rings(problem)), refinement);
    case RingMethod::search:
      return refine_ring(problem, searched(problem), refinement);
    case RingMethod::exact:
      return refine_ring(problem, exact_ring(problem, searched(problem)).ring, refinement);
  }
  FACTOSIM_ALWAYS(false, "unknown method of a ring");
}

}  // namespace factosim
