#include "simulator/audit/rules/area_program.hpp"

#include <fmt/format.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "simulator/audit/rules/expected_result.hpp"

namespace factosim::audit {

namespace {

/// Relative distance of the ends of an interval that is narrow enough.
constexpr long double narrow = 1e-12L;

/// Maximises objective x subject to rows x <= limits, x >= 0, where limits >= 0, in arithmetic of this kind of number.
/// The tableau has no columns of basic variables.
template <class Number>
class Simplex {
 public:
  Simplex(std::size_t rows, std::size_t columns)
      : columns_(columns),
        rows_(rows, std::vector<Number>(columns, 0)),
        limits_(rows, 0),
        objective_(columns, 0) {
    variable_of_row_.resize(rows);
    std::iota(variable_of_row_.begin(), variable_of_row_.end(), columns);
    variable_of_column_.resize(columns);
    std::iota(variable_of_column_.begin(), variable_of_column_.end(), std::size_t{0});
  }

  Number& coefficient(std::size_t row, std::size_t column) { return rows_[row][column]; }
  Number& limit(std::size_t row) { return limits_[row]; }
  Number& objective(std::size_t column) { return objective_[column]; }

  /// Pivots up to the optimum, or to a number of steps beyond which it would be a cycle of rounding: by the largest
  /// gain, and from then on where that could be a cycle by Bland's rule.
  void solve() {
    using std::pow;
    Number const zero = pow(std::numeric_limits<Number>::epsilon(), Number(0.7));
    std::size_t const size = rows_.size() + columns_;
    for (std::size_t steps = 0; steps < 100 * size; ++steps) {
      std::size_t entering = columns_, leaving = rows_.size();
      auto const is_better = [&](std::size_t a, std::size_t b) {
        return steps < 4 * size ? objective_[a] > objective_[b]
                                : variable_of_column_[a] < variable_of_column_[b];
      };
      for (std::size_t j = 0; j < columns_; ++j)
        if (objective_[j] > zero && (entering == columns_ || is_better(j, entering))) entering = j;
      if (entering == columns_) return;
      Number best = 0;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i][entering] <= zero) continue;
        Number const ratio = limits_[i] / rows_[i][entering];
        if (leaving == rows_.size() || ratio < best ||
            (ratio == best && variable_of_row_[i] < variable_of_row_[leaving])) {
          leaving = i;
          best = ratio;
        }
      }
      if (leaving == rows_.size()) return;
      pivot(leaving, entering);
    }
  }

  /// The values of the columns' variables.
  [[nodiscard]] std::vector<long double> values() const {
    std::vector<long double> out(columns_, 0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (variable_of_row_[i] < columns_) out[variable_of_row_[i]] = static_cast<long double>(limits_[i]);
    return out;
  }
  /// The dual values of the rows.
  [[nodiscard]] std::vector<long double> prices() const {
    std::vector<long double> out(rows_.size(), 0);
    for (std::size_t j = 0; j < columns_; ++j)
      if (variable_of_column_[j] >= columns_)
        out[variable_of_column_[j] - columns_] = static_cast<long double>(-objective_[j]);
    return out;
  }

 private:
  void pivot(std::size_t leaving, std::size_t entering) {
    auto& pivots = rows_[leaving];
    Number const pivot = pivots[entering];
    pivots[entering] = 1;
    for (Number& a : pivots) a /= pivot;
    limits_[leaving] /= pivot;
    auto const eliminate = [&](std::vector<Number>& row) {
      Number const factor = std::exchange(row[entering], Number(0));
      if (factor != 0)
        for (std::size_t j = 0; j < columns_; ++j)
          if (pivots[j] != 0) row[j] -= factor * pivots[j];
      return factor;
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == leaving) continue;
      limits_[i] -= eliminate(rows_[i]) * limits_[leaving];
      if (limits_[i] < 0) limits_[i] = 0;
    }
    eliminate(objective_);
    std::swap(variable_of_row_[leaving], variable_of_column_[entering]);
  }

  std::size_t columns_;
  std::vector<std::vector<Number>> rows_;
  std::vector<Number> limits_, objective_;
  std::vector<std::size_t> variable_of_row_,
      variable_of_column_;  // below `columns_`: a column's, else a slack
};

/// The dual of the linear program: prices w of a second of each class, at which all workers together cost 1, and values y
/// of each task, y <= d w on each class that can run it, whose sum is maximal. Numbers of tasks of each kernel on each
/// class are the dual values of these rows. y is in units of the kernel's least duration m, and w in those of the class,
/// the most that m / d is, so that the largest coefficient of each row and column is 1.
class AreaProgram {
 public:
  AreaProgram(std::vector<double> const& tasks, std::vector<AreaClass> const& classes)
      : tasks_(tasks), classes_(classes), least_(tasks.size(), std::numeric_limits<double>::infinity()) {
    for (AreaClass const& c : classes)
      for (std::size_t k = 0; k < tasks.size(); ++k) least_[k] = std::min(least_[k], c.durations[k]);
    for (std::size_t k = 0; k < tasks.size(); ++k)
      if (tasks[k] > 0) work_ += static_cast<long double>(tasks[k]) * least_[k];
    if (trivial()) return;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      long double unit = 0;
      for (std::size_t k = 0; k < tasks.size(); ++k)
        if (takes_time(k) && std::isfinite(classes[c].durations[k])) {
          pairs_.push_back({k, c});
          unit = std::max(unit, static_cast<long double>(least_[k]) / classes[c].durations[k]);
        }
      units_.push_back(unit);
    }
  }

  /// No task takes time, or one can run nowhere.
  [[nodiscard]] bool trivial() const { return work_ == 0 || !std::isfinite(work_); }

  template <class Number>
  [[nodiscard]] AreaInterval solve() const {
    std::size_t const kernels = tasks_.size();
    Simplex<Number> simplex(pairs_.size() + 1, kernels + classes_.size());
    for (std::size_t k = 0; k < kernels; ++k)
      if (takes_time(k)) simplex.objective(k) = Number(tasks_[k]) * Number(least_[k]) / Number(work_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      auto const [k, c] = pairs_[i];
      simplex.coefficient(i, k) = Number(least_[k]) / (Number(classes_[c].durations[k]) * Number(units_[c]));
      simplex.coefficient(i, kernels + c) = -1;
    }
    for (std::size_t c = 0; c < classes_.size(); ++c)
      simplex.coefficient(pairs_.size(), kernels + c) = Number(classes_[c].count) * Number(units_[c]);
    simplex.limit(pairs_.size()) = 1;
    simplex.solve();
    return {.low = static_cast<double>(proven_by(simplex.values())),
            .high = static_cast<double>(reached_by(simplex.prices()))};
  }

 private:
  [[nodiscard]] bool takes_time(std::size_t kernel) const { return tasks_[kernel] > 0 && least_[kernel] > 0; }

  /// By weak duality, any prices of the classes give a lower bound.
  [[nodiscard]] long double proven_by(std::vector<long double> const& values) const {
    std::size_t const kernels = tasks_.size();
    std::vector<long double> price(classes_.size());
    long double workers = 0, sum = 0;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      price[c] = values[kernels + c] * units_[c];
      workers += price[c] * classes_[c].count;
    }
    std::vector<long double> least(kernels, std::numeric_limits<long double>::infinity());
    for (auto const& [k, c] : pairs_) least[k] = std::min(least[k], price[c] * classes_[c].durations[k]);
    for (std::size_t k = 0; k < kernels; ++k)
      if (takes_time(k)) sum += tasks_[k] * least[k];
    return workers > 0 ? sum / workers : 0;
  }

  /// Any division of the tasks reaches an upper bound.
  [[nodiscard]] long double reached_by(std::vector<long double> const& prices) const {
    std::vector<long double> parts(pairs_.size()), sum(tasks_.size(), 0), load(classes_.size(), 0);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      auto const [k, c] = pairs_[i];
      parts[i] = std::max(0.0L, prices[i]) / (classes_[c].durations[k] * units_[c]);
      sum[k] += parts[i];
    }
    long double longest = 0;
    for (std::size_t k = 0; k < tasks_.size(); ++k)
      if (takes_time(k) && sum[k] == 0) longest = std::numeric_limits<long double>::infinity();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      auto const [k, c] = pairs_[i];
      if (parts[i] > 0) load[c] += parts[i] / sum[k] * tasks_[k] * classes_[c].durations[k];
    }
    for (std::size_t c = 0; c < classes_.size(); ++c)
      longest = std::max(longest, load[c] / classes_[c].count);
    return longest;
  }

  std::vector<double> const& tasks_;
  std::vector<AreaClass> const& classes_;
  std::vector<double> least_;  // [kernels] seconds
  long double work_ = 0;       // of all tasks on their fastest classes, seconds
  struct Pair {
    std::size_t kernel, worker_class;
  };
  std::vector<Pair> pairs_;         // that can run
  std::vector<long double> units_;  // [classes]
};

void add_workers(RunView const& view, NodeId node, std::vector<AreaClass>& classes) {
  std::size_t const kernels = view.run.graph.kernels.size();
  for (std::size_t w = 0; w < view.machine.workers(node).size(); ++w) {
    if (view.machine.workers(node)[w].further) continue;
    AreaClass one{.count = 1, .durations = {}};
    for (std::size_t k = 0; k < kernels; ++k)
      one.durations.push_back(view.machine.on(node, k, w).least_s * view.machine.on(node, k, w).part);
    auto const alike = std::ranges::find(classes, one.durations, &AreaClass::durations);
    if (alike != classes.end())
      ++alike->count;
    else
      classes.push_back(std::move(one));
  }
}

/// The bound in the result, from durations in whole ticks.
ExpectedValue rounded(RunView const& view, AreaInterval bound, std::vector<double> const& tasks) {
  double const ticks = view.tick_s * std::accumulate(tasks.begin(), tasks.end(), 1.0);
  return {.value = bound.low * (1 - sum_round_off) - ticks,
          .upper = bound.high * (1 + sum_round_off) + ticks,
          .range = true};
}

}  // namespace

AreaInterval least_time(std::vector<double> const& tasks, std::vector<AreaClass> const& classes) {
  AreaProgram const program(tasks, classes);
  if (program.trivial()) return {};
  AreaInterval const found = program.solve<long double>();
  if (found.high <= found.low * (1 + narrow)) return found;
  AreaInterval const exact = program.solve<boost::multiprecision::cpp_bin_float_100>();
  return {.low = std::max(found.low, exact.low), .high = std::min(found.high, exact.high)};
}

void expect_area_bounds(RunView const& view, ExpectedResult& out) {
  if (!view.run.graph.weights.empty()) return;  // the program below divides equal tasks
  std::size_t const nodes = view.run.platform.nodes.size(), kernels = view.run.graph.kernels.size();
  std::vector<std::vector<double>> tasks(nodes, std::vector<double>(kernels, 0));
  std::vector<double> total(kernels, 0);
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.home[t].valid()) continue;
    ++tasks[view.home[t].index()][view.run.graph.kernel[t]];
    ++total[view.run.graph.kernel[t]];
  }
  std::map<std::pair<std::uint32_t, std::vector<double>>, AreaInterval> known;  // by type and tasks
  std::vector<AreaClass> all;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_workers(view, NodeId{n}, all);
    auto const [bound, is_new] = known.try_emplace({view.run.platform.nodes[n], tasks[n]}, AreaInterval{});
    if (is_new) {
      std::vector<AreaClass> classes;
      add_workers(view, NodeId{n}, classes);
      bound->second = least_time(tasks[n], classes);
    }
    out[fmt::format("/bounds/abe_per_node_s/{}", n)] = rounded(view, bound->second, tasks[n]);
  }
  out["/bounds/abe_s"] = rounded(view, least_time(total, all), total);
}

}  // namespace factosim::audit
