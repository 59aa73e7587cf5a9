#include <algorithm>
#include <cmath>
#include <cstddef>

#include "distributions/ring/ring_methods.hpp"
#include "factosim/error.hpp"
#include "simulator/base/solver/nonlinear_solver.hpp"

namespace factosim {

namespace {

/// Variables: alpha [q], bandwidths [2q], T; bandwidths in units of the largest one, times in units of the
/// initial T_step. Constraints: time of each processor - T [q], sum of alpha, shared links.
class RingProgram final : public NonlinearProgram {
 public:
  RingProgram(RingProblem const& problem, Ring const& start)
      : start_(start), limits_(path_limits(problem.graph, start.paths)), q_(static_cast<int>(start.size())) {
    for (double const bound : limits_.bound)
      if (std::isfinite(bound)) unit_ = std::max(unit_, bound);
    if (unit_ == 0) unit_ = 1;
    // A path without limits gets a finite bandwidth at which its message takes no time in this program.
    for (double& bound : limits_.bound) bound = std::min(bound, 1e9 * unit_);
    for (std::uint32_t const v : start.order)
      compute_.push_back(problem.work / problem.graph.vertices[v].speed / start.step_s);
    message_ = problem.message / unit_ / start.step_s;
  }

  /// Returns the bandwidths of a point, [2q] bytes per second.
  [[nodiscard]] std::vector<double> rates(std::vector<double> const& x) const {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(2 * q_));
    for (int p = 0; p < 2 * q_; ++p) out.push_back(x[at(q_ + p)] * unit_);
    return out;
  }

  [[nodiscard]] Bounds variables() const override {
    Bounds out;
    for (int i = 0; i < q_; ++i) out.add(0, 1);
    for (double const bound : limits_.bound) out.add(1e-9 * (bound / unit_), bound / unit_);
    out.add(0, unbounded);
    return out;
  }
  [[nodiscard]] Bounds constraints() const override {
    Bounds out;
    for (int i = 0; i < q_; ++i) out.add(-unbounded, 0);
    out.add(1, 1);
    for (auto const& link : limits_.shared) out.add(-unbounded, link.capacity / unit_);
    return out;
  }
  [[nodiscard]] std::vector<double> start() const override {
    std::vector<double> x = start_.alpha;
    for (int p = 0; p < 2 * q_; ++p)
      x.push_back(std::min(start_.paths[at(p)].bandwidth, limits_.bound[at(p)]) / unit_);
    x.push_back(1);
    return x;
  }

  [[nodiscard]] double objective(double const* x) const override { return x[step()]; }
  void gradient(double const*, double* out) const override {
    std::fill_n(out, step(), 0.0);
    out[step()] = 1;
  }

  void constraint_values(double const* x, double* out) const override {
    double alpha = 0;
    for (int i = 0; i < q_; ++i) {
      alpha += x[i];
      out[i] = x[i] * compute_[at(i)] + message_ / x[q_ + 2 * i] + message_ / x[q_ + 2 * i + 1] - x[step()];
    }
    out[q_] = alpha;
    for (std::size_t l = 0; l < limits_.shared.size(); ++l) {
      double& load = out[at(q_) + 1 + l];
      load = 0;
      for (std::uint32_t const p : limits_.shared[l].paths) load += x[at(q_) + p];
    }
  }

  void jacobian(double const* x, Entries& out) const override {
    for (int i = 0; i < q_; ++i) {
      out.add(i, i, compute_[at(i)]);
      for (int p = q_ + 2 * i; p < q_ + 2 * i + 2; ++p) out.add(i, p, -message_ / (x[p] * x[p]));
      out.add(i, step(), -1);
      out.add(q_, i, 1);
    }
    for (int l = 0; l < static_cast<int>(limits_.shared.size()); ++l)
      for (std::uint32_t const p : limits_.shared[at(l)].paths)
        out.add(q_ + 1 + l, q_ + static_cast<int>(p), 1);
  }

  void hessian(double const* x, double const* multiplier, Entries& out) const override {
    for (int p = 0; p < 2 * q_; ++p) {
      double const d = x[q_ + p];
      out.add(q_ + p, q_ + p, multiplier[p / 2] * 2 * message_ / (d * d * d));
    }
  }

 private:
  [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] int step() const { return 3 * q_; }  // index of T among the variables

  Ring const& start_;
  PathLimits limits_;
  int q_;
  double unit_ = 0;              // bytes per second
  double message_;               // H, in its units
  std::vector<double> compute_;  // [q] W w_i, in units of the initial T_step
};

void use(RingProblem const& problem, Ring& ring, std::vector<double> const& rates) {
  for (std::size_t p = 0; p < rates.size(); ++p) ring.paths[p].bandwidth = rates[p];
  share_work(problem, ring);
}

}  // namespace

QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start) {
  QuadraticSolution out{.ring = start, .optimal = true};
  share_work(problem, out.ring);
  if (start.size() == 1 || problem.message <= 0) return out;  // nothing to optimise
  Ring const begin = out.ring;
  RingProgram const program(problem, begin);
  NonlinearSolution const found =
      solve(program, NonlinearOptions{.tolerance = 1e-10, .adaptive_barrier = true});
  out.optimal = found.converged;
  if (found.x.empty()) return out;
  // Ipopt may violate a constraint within its tolerance or leave bandwidth unused: keep the proportions,
  // restore feasibility.
  use(problem, out.ring, max_min_rates(path_limits(problem.graph, begin.paths), program.rates(found.x)));
  if (out.ring.step_s > begin.step_s) out.ring = begin;
  return out;
}

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
