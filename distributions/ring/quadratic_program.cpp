#include "distributions/ring/quadratic_program.hpp"

#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "distributions/ring/path_limits.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

using Ipopt::Index;
using Ipopt::Number;

constexpr Number unbounded = 1e19;  // by Ipopt's convention

/// Variables: alpha [q], bandwidths [2q], T; bandwidths in units of the largest one, times in units of the
/// initial T_step. Constraints: time of each processor - T [q], sum of alpha, shared links.
class RingProgram final : public Ipopt::TNLP {
 public:
  RingProgram(RingProblem const& problem, Ring const& start)
      : start_(start),
        limits_(path_limits(problem.graph, start.paths)),
        q_(static_cast<Index>(start.size())) {
    for (double const bound : limits_.bound)
      if (std::isfinite(bound)) unit_ = std::max(unit_, bound);
    if (unit_ == 0) unit_ = 1;
    // A path without limits gets a finite bandwidth at which its message takes no time in this program.
    for (double& bound : limits_.bound) bound = std::min(bound, 1e9 * unit_);
    for (std::uint32_t const v : start.order)
      compute_.push_back(problem.work / problem.graph.vertices[v].speed / start.step_s);
    message_ = problem.message / unit_ / start.step_s;
  }

  [[nodiscard]] std::vector<double> const& rates() const { return rates_; }  // [2q] bytes per second
  [[nodiscard]] PathLimits const& limits() const { return limits_; }

  bool get_nlp_info(Index& variables, Index& constraints, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    variables = 3 * q_ + 1;
    constraints = q_ + 1 + shared();
    jacobian = 4 * q_ + q_;
    for (auto const& link : limits_.shared) jacobian += static_cast<Index>(link.paths.size());
    hessian = 2 * q_;
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index, Number* low, Number* high, Index, Number* minimum, Number* maximum) override {
    std::fill_n(low, 3 * q_ + 1, 0.0);
    for (Index i = 0; i < q_; ++i) high[i] = 1;
    for (Index p = 0; p < 2 * q_; ++p) {
      high[q_ + p] = limits_.bound[at(p)] / unit_;
      low[q_ + p] = 1e-9 * high[q_ + p];
    }
    high[step()] = unbounded;
    for (Index i = 0; i < q_; ++i) {
      minimum[i] = -unbounded;
      maximum[i] = 0;
    }
    minimum[q_] = maximum[q_] = 1;
    for (Index l = 0; l < shared(); ++l) {
      minimum[q_ + 1 + l] = -unbounded;
      maximum[q_ + 1 + l] = limits_.shared[at(l)].capacity / unit_;
    }
    return true;
  }

  bool get_starting_point(Index, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    for (Index i = 0; i < q_; ++i) x[i] = start_.alpha[at(i)];
    for (Index p = 0; p < 2 * q_; ++p)
      x[q_ + p] = std::min(start_.paths[at(p)].bandwidth, limits_.bound[at(p)]) / unit_;
    x[step()] = 1;
    return true;
  }

  bool eval_f(Index, Number const* x, bool, Number& value) override {
    value = x[step()];
    return true;
  }
  bool eval_grad_f(Index, Number const*, bool, Number* gradient) override {
    std::fill_n(gradient, step(), 0.0);
    gradient[step()] = 1;
    return true;
  }

  bool eval_g(Index, Number const* x, bool, Index, Number* g) override {
    Number alpha = 0;
    for (Index i = 0; i < q_; ++i) {
      alpha += x[i];
      g[i] = x[i] * compute_[at(i)] + message_ / x[q_ + 2 * i] + message_ / x[q_ + 2 * i + 1] - x[step()];
    }
    g[q_] = alpha;
    for (Index l = 0; l < shared(); ++l) {
      g[q_ + 1 + l] = 0;
      for (std::uint32_t const p : limits_.shared[at(l)].paths)
        g[q_ + 1 + l] += x[q_ + static_cast<Index>(p)];
    }
    return true;
  }

  bool eval_jac_g(Index, Number const* x, bool, Index, Index, Index* row, Index* column,
                  Number* value) override {
    Index k = 0;
    auto const entry = [&](Index r, Index c, auto const& derivative) {
      if (value == nullptr) {
        row[k] = r;
        column[k] = c;
      } else {
        value[k] = derivative();
      }
      ++k;
    };
    for (Index i = 0; i < q_; ++i) {
      entry(i, i, [&] { return compute_[at(i)]; });
      for (Index p = 2 * i; p < 2 * i + 2; ++p)
        entry(i, q_ + p, [&] { return -message_ / (x[q_ + p] * x[q_ + p]); });
      entry(i, step(), [] { return -1.0; });
      entry(q_, i, [] { return 1.0; });
    }
    for (Index l = 0; l < shared(); ++l)
      for (std::uint32_t const p : limits_.shared[at(l)].paths)
        entry(q_ + 1 + l, q_ + static_cast<Index>(p), [] { return 1.0; });
    return true;
  }

  bool eval_h(Index, Number const* x, bool, Number, Index, Number const* multipliers, bool, Index, Index* row,
              Index* column, Number* value) override {
    for (Index p = 0; p < 2 * q_; ++p) {
      if (value == nullptr) {
        row[p] = column[p] = q_ + p;
      } else {
        Number const d = x[q_ + p];
        value[p] = multipliers[p / 2] * 2 * message_ / (d * d * d);
      }
    }
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index, Number const* x, Number const*, Number const*, Index,
                         Number const*, Number const*, Number, Ipopt::IpoptData const*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    for (Index p = 0; p < 2 * q_; ++p) rates_.push_back(x[q_ + p] * unit_);
  }

 private:
  [[nodiscard]] static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] Index step() const { return 3 * q_; }  // index of T among the variables
  [[nodiscard]] Index shared() const { return static_cast<Index>(limits_.shared.size()); }

  Ring const& start_;
  PathLimits limits_;
  Index q_;
  double unit_ = 0;              // bytes per second
  double message_;               // H, in its units
  std::vector<double> compute_;  // [q] W w_i, in units of the initial T_step
  std::vector<double> rates_;
};

}  // namespace

QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start) {
  QuadraticSolution out{.ring = start, .iterations = 0, .optimal = true};
  share_work(problem, out.ring);
  if (start.size() == 1 || problem.message <= 0) return out;  // nothing to optimise
  Ring const begin = out.ring;
  Ipopt::SmartPtr<RingProgram> const program = new RingProgram(problem, begin);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> const solver = new Ipopt::IpoptApplication(false);
  solver->Options()->SetIntegerValue("print_level", 0);
  solver->Options()->SetStringValue("sb", "yes");  // no banner
  solver->Options()->SetNumericValue("tol", 1e-10);
  solver->Options()->SetStringValue("mu_strategy", "adaptive");
  FACTOSIM_ALWAYS(solver->Initialize() == Ipopt::Solve_Succeeded, "Ipopt does not start");
  Ipopt::ApplicationReturnStatus const status =
      solver->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(Ipopt::GetRawPtr(program)));
  out.optimal = status == Ipopt::Solve_Succeeded || status == Ipopt::Solved_To_Acceptable_Level;
  out.iterations = Ipopt::IsValid(solver->Statistics()) ? solver->Statistics()->IterationCount() : 0;
  if (program->rates().empty()) return out;
  // Ipopt may violate a constraint within its tolerance or leave bandwidth unused: keep the proportions,
  // restore feasibility.
  std::vector<double> const rates = max_min_rates(path_limits(problem.graph, begin.paths), program->rates());
  for (std::size_t p = 0; p < rates.size(); ++p) out.ring.paths[p].bandwidth = rates[p];
  share_work(problem, out.ring);
  if (out.ring.step_s > begin.step_s) out.ring = begin;
  return out;
}

}  // namespace factosim
