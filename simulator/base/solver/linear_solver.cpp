#include "simulator/base/solver/linear_solver.hpp"

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "simulator/base/os/module.hpp"

namespace factosim {

namespace {

/// Terminates the refinement: the residuals are those of doubles.
constexpr long double least_residual = 1e-15L;
/// Clp's tolerance of 1e-7 over this is less than the rounding of doubles; more would exceed the costs that Clp accepts.
constexpr long double most_magnified = 0x1p30L;
constexpr int most_refinements = 8;

/// A solution and its prices, which refinements add to.
class Refinement {
 public:
  Refinement(LinearProblem const& program, LinearSolution const& first)
      : program_(program),
        x_(first.x.begin(), first.x.end()),
        price_(first.row_price.begin(), first.row_price.end()) {}

  /// Returns the magnified program of the residuals, or nothing if these are small enough.
  std::optional<LinearProblem> residual_program() {
    std::vector<long double> room(program_.row_lower.begin(), program_.row_lower.end());
    std::vector<long double> cost(program_.cost.begin(), program_.cost.end());
    for (std::size_t i = 0; i < program_.factors.size(); ++i) {
      auto const row = static_cast<std::size_t>(program_.rows[i]);
      auto const column = static_cast<std::size_t>(program_.columns[i]);
      room[row] -= program_.factors[i] * x_[column];
      cost[column] -= program_.factors[i] * price_[row];
    }
    long double primal = 0, dual = 0;
    for (long double const r : room) primal = std::max(primal, std::abs(r));
    for (std::size_t j = 0; j < x_.size(); ++j) {
      long double const above = x_[j] - program_.lower[j];
      primal = std::max(primal, -above);
      dual = std::max({dual, -cost[j], std::min(cost[j], above)});  // complementary slackness
    }
    if (std::max(primal, dual) <= least_residual) return std::nullopt;
    primal_ = magnification(primal);
    dual_ = magnification(dual);
    LinearProblem out = program_;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      out.cost[j] = static_cast<double>(cost[j] * dual_);
      out.lower[j] = static_cast<double>((program_.lower[j] - x_[j]) * primal_);
    }
    for (std::size_t i = 0; i < room.size(); ++i)
      out.row_lower[i] = out.row_upper[i] = static_cast<double>(room[i] * primal_);
    return out;
  }

  void add(LinearSolution const& correction) {
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += correction.x[j] / primal_;
    for (std::size_t i = 0; i < price_.size(); ++i) price_[i] += correction.row_price[i] / dual_;
  }

  [[nodiscard]] LinearSolution solution() const {
    return {.x = {x_.begin(), x_.end()}, .row_price = {price_.begin(), price_.end()}};
  }

 private:
  /// Powers of two, so that they round nothing.
  static long double magnification(long double residual) {
    return std::exp2(std::floor(std::log2(std::clamp(1 / residual, 1.0L, most_magnified))));
  }

  LinearProblem const& program_;
  std::vector<long double> x_, price_;
  long double primal_ = 1, dual_ = 1;  // by which the residuals are magnified
};

LinearSolver const& linear_solver() {
  constexpr Module clp{.file = "factosim_clp.so",
                       .feature = "a linear program, such as that of the area bound",
                       .packages = "coinor-libclp-dev"};
  static auto const& loaded = *static_cast<LinearSolver const*>(load_module(clp));
  return loaded;
}

}  // namespace

int LinearProblem::column(double cost_of_column, double lower_bound) {
  cost.push_back(cost_of_column);
  lower.push_back(lower_bound);
  return static_cast<int>(cost.size()) - 1;
}

void LinearProblem::add(int column, double factor) {
  columns.push_back(column);
  factors.push_back(factor);
}

int LinearProblem::row(double low, double high) {
  row_lower.push_back(low);
  row_upper.push_back(high);
  int const number = static_cast<int>(row_lower.size()) - 1;
  rows.resize(columns.size(), number);
  return number;
}

void LinearProblem::add(int row, int column, double factor) {
  rows.push_back(row);
  add(column, factor);
}

std::optional<LinearSolution> solve(LinearProblem const& program, SimplexMethod method) {
  return linear_solver().solve(program, method);
}

void preload_linear_solver() {
  try {
    static_cast<void>(linear_solver());
  } catch (InputError const&) {  // reported by the process that needs Clp
  }
}

std::optional<LinearSolution> solve_precisely(LinearProblem const& program, SimplexMethod method) {
  FACTOSIM_EXPECT(program.row_lower == program.row_upper, "rows that are equations");
  auto const first = solve(program, method);
  if (!first) return std::nullopt;
  Refinement refinement(program, *first);
  for (int i = 0; i < most_refinements; ++i) {
    auto const residuals = refinement.residual_program();
    if (!residuals) break;
    auto const correction = solve(*residuals, method);
    if (!correction) break;
    refinement.add(*correction);
  }
  return refinement.solution();
}

}  // namespace factosim
