#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributions/ring/ring.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

struct QuadraticSolution {
  Ring ring;             // if not optimal: the better of the last point and the given ring
  bool optimal = false;  // the method has converged
};

/// The refinement "quadratic resolution" of the slides: optimises alpha and all bandwidths together for the
/// given order and paths of the ring; its own alpha and bandwidths are only the starting point:
///
///   min T    alpha_i W w_i + H (c_i,succ + c_i,pred) <= T,  sum of alpha = 1,  alpha >= 0,
///            s_p c_p >= 1,  sum over the paths of a link of s_p <= b
///
/// Substituting c_p = 1 / s_p (tight at an optimum) leaves a convex program, so Ipopt's solution is the
/// global optimum. A path has the same bandwidth on all of its links.
QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start);

/// Sharing of the links among the paths of a ring.
enum class RingRefinement {
  none,       // unchanged, as found
  max_min,    // max-min fairness
  quadratic,  // the quadratic program
};

/// Returns the ring with the same order and paths and new bandwidths and alpha; `none` recomputes only alpha.
Ring refine_ring(RingProblem const& problem, Ring ring, RingRefinement refinement);

/// The same with bandwidths that minimise the sum of v_i c_ij: the optimum of the quadratic program if every
/// processor of the ring computes (to about 1e-4 with fewer `rounds`), and close to it otherwise.
Ring share_links_by_delay(RingProblem const& problem, Ring ring, int rounds = 2000);

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

/// Returns bandwidths of a few paths (four when a processor is inserted into a ring) that approximately
/// minimise the sum of g_p / d_p: the "brute force method" of the slides for new paths that share links.
/// Every Pareto-optimal allocation is max-min fair for some proportions, so proportions are enumerated on a
/// coarse grid around sqrt(g_p), the optimum for one link, then on finer grids around the best. O(5^(paths -
/// 1)) allocations.
std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights);

/// The heuristic of the slides for SHARED RING. Starts with the best processor alone, then the best pair;
/// each step then tries every further processor between every two neighbours and keeps the insertion with the
/// minimum T_step. The two paths between these neighbours release their bandwidth; the four new ones are
/// widest paths in the remaining bandwidths, found independently, and share common links by brute force. All
/// other paths keep their bandwidth.
///
/// Returns the ring of each step, with q = 1, 2, ... processors, until all take part or a link that a further
/// one would need has no bandwidth left. O(p^3) searches for a widest path.
std::vector<Ring> greedy_rings(RingProblem const& problem);

/// Returns the first ring of minimum T_step. Throws InfeasibleError if the graph has no processor.
Ring best_ring(std::vector<Ring> const& rings);

/// The heuristic of the slides for SLICE RING: the greedy of SHARED RING on the complete graph. T_step and
/// bandwidths hold for that graph only; order and paths refer to the real graph. To make the ring feasible,
/// share the real links (refine_ring).
Ring slice_ring(RingProblem const& problem);

struct ExactRing {
  Ring ring;
  std::uint64_t rings = 0;    // orders of processors visited
  std::uint64_t choices = 0;  // complete choices of paths whose bandwidths were optimised
};

/// Returns the optimum of SHARED RING over all subsets of the processors, all orders around the ring (up to
/// rotation and reflection), all choices of simple paths, bandwidths and alpha; bandwidths by the quadratic
/// program or, if all processors compute, by the weighted potential delay with its proof of optimality.
/// Branch and bound: the lower bound of T_step takes the chosen paths as they are and each other path alone
/// on its widest path; `known`, a feasible ring, is the first incumbent. Exponential: for about six
/// processors.
ExactRing exact_ring(RingProblem const& problem, Ring const& known);

/// Returns all simple paths between two vertices.
std::vector<RingPath> simple_paths(ProcessorGraph const& graph, std::uint32_t from, std::uint32_t to);

}  // namespace factosim
