// The module factosim_ipopt.so.

#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>
#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/os/module.hpp"
#include "simulator/base/solver/nonlinear_solver.hpp"

namespace factosim {

namespace {

using Ipopt::Index;
using Ipopt::Number;
using Entries = NonlinearProgram::Entries;

/// A nonlinear program behind Ipopt's interface.
class IpoptProgram final : public Ipopt::TNLP {
 public:
  explicit IpoptProgram(NonlinearProgram const& program)
      : program_(program),
        variables_(program.variables()),
        constraints_(program.constraints()),
        start_(program.start()),
        no_multipliers_(constraints_.low.size()) {}

  [[nodiscard]] std::vector<double>& solution() { return solution_; }

  bool get_nlp_info(Index& variables, Index& constraints, Index& in_jacobian, Index& in_hessian,
                    IndexStyleEnum& style) override {
    variables = static_cast<Index>(start_.size());
    constraints = static_cast<Index>(constraints_.low.size());
    Entries jacobian, hessian;
    program_.jacobian(start_.data(), jacobian);
    program_.hessian(start_.data(), no_multipliers_.data(), hessian);
    in_jacobian = jacobian.count();
    in_hessian = hessian.count();
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index, Number* low, Number* high, Index, Number* minimum, Number* maximum) override {
    std::copy(variables_.low.begin(), variables_.low.end(), low);
    std::copy(variables_.high.begin(), variables_.high.end(), high);
    std::copy(constraints_.low.begin(), constraints_.low.end(), minimum);
    std::copy(constraints_.high.begin(), constraints_.high.end(), maximum);
    return true;
  }

  bool get_starting_point(Index, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    std::copy(start_.begin(), start_.end(), x);
    return true;
  }

  bool eval_f(Index, Number const* x, bool, Number& value) override {
    value = program_.objective(x);
    return true;
  }
  bool eval_grad_f(Index, Number const* x, bool, Number* gradient) override {
    program_.gradient(x, gradient);
    return true;
  }
  bool eval_g(Index, Number const* x, bool, Index, Number* g) override {
    program_.constraint_values(x, g);
    return true;
  }

  // Ipopt asks for the places with null pointers for x and the values, then for the values.
  bool eval_jac_g(Index, Number const* x, bool, Index, Index, Index* row, Index* column,
                  Number* value) override {
    Entries out = value == nullptr ? Entries(row, column) : Entries(value);
    program_.jacobian(value == nullptr ? start_.data() : x, out);
    return true;
  }
  bool eval_h(Index, Number const* x, bool, Number, Index, Number const* multiplier, bool, Index, Index* row,
              Index* column, Number* value) override {
    Entries out = value == nullptr ? Entries(row, column) : Entries(value);
    program_.hessian(value == nullptr ? start_.data() : x,
                     value == nullptr ? no_multipliers_.data() : multiplier, out);
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index, Number const* x, Number const*, Number const*, Index,
                         Number const*, Number const*, Number, Ipopt::IpoptData const*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    solution_.assign(x, x + start_.size());
  }

 private:
  NonlinearProgram const& program_;
  NonlinearProgram::Bounds variables_, constraints_;
  std::vector<double> start_, no_multipliers_, solution_;
};

class IpoptSolver final : public NonlinearSolver {
 public:
  [[nodiscard]] NonlinearSolution solve(NonlinearProgram const& program,
                                        NonlinearOptions const& options) const override {
    Ipopt::SmartPtr<Ipopt::IpoptApplication> const ipopt =
        new Ipopt::IpoptApplication(/*create_console_out=*/false);
    auto const to = ipopt->Options();
    to->SetIntegerValue("print_level", 0);
    to->SetStringValue("sb", "yes");  // no banner
    to->SetNumericValue("tol", options.tolerance);
    if (options.max_iterations) to->SetIntegerValue("max_iter", *options.max_iterations);
    if (options.initial_barrier) to->SetNumericValue("mu_init", *options.initial_barrier);
    if (options.adaptive_barrier) to->SetStringValue("mu_strategy", "adaptive");
    // "": no file of options is read from the working folder.
    FACTOSIM_ALWAYS(ipopt->Initialize("") == Ipopt::Solve_Succeeded, "Ipopt does not start");
    Ipopt::SmartPtr<IpoptProgram> const problem = new IpoptProgram(program);
    auto const status = ipopt->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(Ipopt::GetRawPtr(problem)));
    auto const statistics = ipopt->Statistics();
    return {.x = std::move(problem->solution()),
            .converged = status == Ipopt::Solve_Succeeded || status == Ipopt::Solved_To_Acceptable_Level,
            .iterations = Ipopt::IsValid(statistics) ? statistics->IterationCount() : 0};
  }
};

}  // namespace

}  // namespace factosim

FACTOSIM_OFFER_MODULE(factosim::NonlinearSolver, factosim::IpoptSolver)
