#include "distributions/ring/refine_ring.hpp"

#include "distributions/ring/path_limits.hpp"
#include "distributions/ring/potential_delay.hpp"
#include "distributions/ring/quadratic_program.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

void use(RingProblem const& problem, Ring& ring, std::vector<double> const& rates) {
  for (std::size_t p = 0; p < rates.size(); ++p) ring.paths[p].bandwidth = rates[p];
  share_work(problem, ring);
}

}  // namespace

Ring share_links_by_delay(RingProblem const& problem, Ring ring, int rounds) {
  std::vector<double> weights;
  for (RingPath const& path : ring.paths) weights.push_back(problem.graph.vertices[path.from].speed);
  use(problem, ring,
      minimum_potential_delay(path_limits(problem.graph, ring.paths), weights,
                              {.rounds = rounds, .tolerance = rounds < 100 ? 1e-4 : 1e-10})
          .rates);
  return ring;
}

Ring refine_ring(RingProblem const& problem, Ring ring, RingRefinement refinement) {
  switch (refinement) {
    case RingRefinement::none:
      share_work(problem, ring);
      return ring;
    case RingRefinement::max_min: {
      std::vector<double> const equal(ring.paths.size(), 1.0);
      use(problem, ring, max_min_rates(path_limits(problem.graph, ring.paths), equal));
      return ring;
    }
    case RingRefinement::quadratic:
      return solve_quadratic_program(problem, share_links_by_delay(problem, std::move(ring), 16)).ring;
  }
  FACTOSIM_ALWAYS(false, "unknown refinement of a ring");
}

}  // namespace factosim
