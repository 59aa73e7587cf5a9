#include "simulator/balance/equal_time_ipopt.hpp"

#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <limits>
#include <vector>

#include "factosim/error.hpp"

namespace factosim {

namespace {

using Ipopt::Index;
using Ipopt::Number;

/// The unknowns are the sizes as fractions of the work, then T divided by a scale; the equations are scaled in
/// the same way.
class EqualTimeProblem final : public Ipopt::TNLP {
 public:
  EqualTimeProblem(std::span<EqualTimeWorker const> workers, double work) : workers_(workers), work_(work) {
    double first = std::numeric_limits<double>::infinity();
    double fastest = std::numeric_limits<double>::infinity();
    for (EqualTimeWorker const& w : workers) {
      first = std::min(first, w.free_at);
      fastest = std::min(fastest, w.free_at + w.time->seconds(work / static_cast<double>(workers.size())));
    }
    origin_ = first;
    scale_ = fastest - first;
  }

  bool get_nlp_info(Index& n, Index& m, Index& nonzeros, Index& hessian_nonzeros,
                    IndexStyleEnum& style) override {
    n = m = count() + 1;
    nonzeros = 3 * count();
    hessian_nonzeros = count();
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* x_low, Number* x_high, Index m, Number* g_low,
                       Number* g_high) override {
    std::fill(x_low, x_low + n, 0.0);
    std::fill(x_high, x_high + n, 1.0);
    x_high[count()] = 2e19;  // Ipopt's infinity
    std::fill(g_low, g_low + m, 0.0);
    g_low[count()] = 1;
    std::copy(g_low, g_low + m, g_high);
    return true;
  }

  /// Starts from sizes in the ratio of the work that each worker does while the fastest does an equal share.
  bool get_starting_point(Index, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    double sum = 0;
    for (Index p = 0; p < count(); ++p) {
      double const size = worker(p).time->size_within(origin_ + scale_ - worker(p).free_at);
      x[p] = std::max(size / work_, 1e-6);
      sum += x[p];
    }
    for (Index p = 0; p < count(); ++p) x[p] /= sum;
    x[count()] = 1;
    return true;
  }

  bool eval_f(Index, Number const*, bool, Number& value) override {
    value = 0;
    return true;
  }
  bool eval_grad_f(Index n, Number const*, bool, Number* gradient) override {
    std::fill(gradient, gradient + n, 0.0);
    return true;
  }

  bool eval_g(Index, Number const* x, bool, Index, Number* g) override {
    g[count()] = 0;
    for (Index p = 0; p < count(); ++p) {
      double const end = worker(p).free_at + worker(p).time->seconds(x[p] * work_);
      g[p] = (end - origin_) / scale_ - x[count()];
      g[count()] += x[p];
    }
    return true;
  }

  bool eval_jac_g(Index, Number const* x, bool, Index, Index, Index* row, Index* column,
                  Number* value) override {
    for (Index p = 0, k = 0; p < count(); ++p) {
      if (value == nullptr) {
        row[k] = p, column[k++] = p;
        row[k] = p, column[k++] = count();
        row[k] = count(), column[k++] = p;
      } else {
        value[k++] = worker(p).time->slope(x[p] * work_) * work_ / scale_;
        value[k++] = -1;
        value[k++] = 1;
      }
    }
    return true;
  }

  /// The Hessian of the equations times their multipliers: the second derivative of each worker's time.
  bool eval_h(Index, Number const* x, bool, Number, Index, Number const* multiplier, bool, Index, Index* row,
              Index* column, Number* value) override {
    for (Index p = 0; p < count(); ++p) {
      if (value == nullptr) {
        row[p] = column[p] = p;
        continue;
      }
      double const size = x[p] * work_, step = 1e-4 * size;
      double const change = worker(p).time->slope(size + step) - worker(p).time->slope(size - step);
      value[p] = multiplier[p] * change / (2 * step) * work_ * work_ / scale_;
    }
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index, Number const* x, Number const*, Number const*, Index,
                         Number const*, Number const*, Number, Ipopt::IpoptData const*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    for (Index p = 0; p < count(); ++p) solution_.size.push_back(x[p] * work_);
    solution_.end = origin_ + x[count()] * scale_;
  }

  [[nodiscard]] EqualTimeSolution const& solution() const { return solution_; }

 private:
  [[nodiscard]] Index count() const { return static_cast<Index>(workers_.size()); }
  [[nodiscard]] EqualTimeWorker const& worker(Index p) const { return workers_[static_cast<std::size_t>(p)]; }

  std::span<EqualTimeWorker const> workers_;
  double work_;
  double origin_ = 0, scale_ = 1;
  EqualTimeSolution solution_;
};

}  // namespace

struct EqualTimeIpopt::Application {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt{IpoptApplicationFactory()};
};

EqualTimeIpopt::EqualTimeIpopt() : application_(std::make_unique<Application>()) {
  auto const options = application_->ipopt->Options();
  options->SetIntegerValue("print_level", 0);
  options->SetStringValue("sb", "yes");  // no banner
  options->SetNumericValue("tol", 1e-9);
  options->SetIntegerValue("max_iter", 200);
  options->SetNumericValue("mu_init", 1e-4);  // the start is near
  auto const status = application_->ipopt->Initialize("");
  FACTOSIM_ALWAYS(status == Ipopt::Solve_Succeeded, "Ipopt starts");
}
EqualTimeIpopt::~EqualTimeIpopt() = default;

std::optional<EqualTimeSolution> EqualTimeIpopt::solve(std::span<EqualTimeWorker const> workers,
                                                       double work) {
  Ipopt::SmartPtr<EqualTimeProblem> const problem =
      new EqualTimeProblem(workers, work);  // owned by Ipopt's pointer
  auto const status = application_->ipopt->OptimizeTNLP(Ipopt::GetRawPtr(problem));
  if (status != Ipopt::Solve_Succeeded && status != Ipopt::Solved_To_Acceptable_Level) return std::nullopt;
  return problem->solution();
}

}  // namespace factosim
