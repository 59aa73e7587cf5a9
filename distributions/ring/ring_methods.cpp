#include "distributions/ring/ring_methods.hpp"

#include <algorithm>
#include <utility>

#include "distributions/ring/exact_ring.hpp"
#include "distributions/ring/improve_ring.hpp"
#include "distributions/ring/shared_ring.hpp"
#include "distributions/ring/slice_ring.hpp"
#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<RingMethod, 6> methods{.what = "method of a ring",
                                             .values = {{{RingMethod::slice_ring, "slice-ring"},
                                                         {RingMethod::shared_ring, "shared-ring"},
                                                         {RingMethod::slice_or_shared, "slice-or-shared"},
                                                         {RingMethod::search, "search"},
                                                         {RingMethod::exact, "exact"},
                                                         {RingMethod::given, "given"}}}};
constexpr NamedValues<RingRefinement, 3> refinements{.what = "refinement of a ring",
                                                     .values = {{{RingRefinement::none, "none"},
                                                                 {RingRefinement::max_min, "max-min"},
                                                                 {RingRefinement::quadratic, "quadratic"}}}};

/// Starts from the rings of slice-ring and of the greedy heuristic of every size, with re-shared links: a
/// short search from each, a long one from the best.
Ring searched(RingProblem const& problem) {
  constexpr std::size_t short_search = 400, long_search = 3000, long_searches = 3;
  std::vector<Ring> starts = greedy_rings(problem);
  starts.push_back(slice_ring(problem));
  for (Ring& ring : starts)
    ring =
        improve_ring(problem, share_links_by_delay(problem, std::move(ring)), {.evaluations = short_search});
  std::stable_sort(starts.begin(), starts.end(),
                   [](Ring const& a, Ring const& b) { return a.step_s < b.step_s; });
  starts.resize(std::min(starts.size(), long_searches));
  for (Ring& ring : starts) ring = improve_ring(problem, ring, {.evaluations = long_search});
  return refine_ring(problem, best_ring(starts), RingRefinement::quadratic);
}

}  // namespace

std::string_view name_of(RingMethod method) { return methods.name_of(method); }
std::vector<std::string> ring_method_names() { return methods.names(); }
RingMethod ring_method(std::string_view name) { return methods.named(name); }

std::string_view name_of(RingRefinement refinement) { return refinements.name_of(refinement); }
std::vector<std::string> ring_refinement_names() { return refinements.names(); }
RingRefinement ring_refinement(std::string_view name) { return refinements.named(name); }

Ring find_ring(RingProblem const& problem, RingMethod method) {
  switch (method) {
    case RingMethod::slice_ring:
      return slice_ring(problem);
    case RingMethod::shared_ring:
      return best_ring(greedy_rings(problem));
    case RingMethod::search:
      return searched(problem);
    case RingMethod::exact:
      return exact_ring(problem, searched(problem)).ring;
    case RingMethod::slice_or_shared:
    case RingMethod::given:
      break;
  }
  FACTOSIM_ALWAYS(false, "a method that finds a ring by itself");
}

Ring find_ring(RingProblem const& problem, RingMethod method, RingRefinement refinement) {
  if (method != RingMethod::slice_or_shared)
    return feasible_ring(problem, method, find_ring(problem, method), refinement);
  return best_ring({find_ring(problem, RingMethod::shared_ring, refinement),
                    find_ring(problem, RingMethod::slice_ring, refinement)});
}

Ring feasible_ring(RingProblem const& problem, RingMethod method, Ring found, RingRefinement refinement) {
  bool const without_bandwidths = method == RingMethod::slice_ring || method == RingMethod::given;
  if (without_bandwidths && refinement == RingRefinement::none) refinement = RingRefinement::max_min;
  return refine_ring(problem, std::move(found), refinement);
}

}  // namespace factosim
