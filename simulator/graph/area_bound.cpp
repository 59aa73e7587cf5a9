#include "simulator/graph/area_bound.hpp"

#include <ClpSimplex.hpp>
#include <CoinBuild.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// A variable of the linear program: the tasks of one kernel on one class.
struct Share {
  std::size_t kernel, worker_class;
};

std::vector<Share> possible_shares(std::span<std::uint64_t const> tasks,
                                   std::span<WorkerClass const> classes) {
  std::vector<Share> shares;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (tasks[k] == 0) continue;
    std::size_t const before = shares.size();
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (classes[c].count > 0 && !std::isinf(classes[c].durations[k])) shares.push_back({k, c});
    if (shares.size() == before)
      throw InfeasibleError("no worker can run the tasks of kernel number " + std::to_string(k));
  }
  return shares;
}

/// Returns a sufficient time, the unit of the linear program: its coefficients are then close to 1 for kernels of
/// any duration.
double time_scale(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes,
                  std::vector<Share> const& shares) {
  double scale = 0;
  for (Share const& s : shares)
    scale =
        std::max(scale, static_cast<double>(tasks[s.kernel]) * classes[s.worker_class].durations[s.kernel]);
  return scale;
}

/// Returns the highest feasible prices of the kernels for the prices of the classes' time, which are first
/// scaled to be feasible themselves: the solver's are so only up to its tolerance.
std::vector<double> kernel_prices(std::size_t kernels, std::span<WorkerClass const> classes,
                                  std::span<double const> row_prices) {
  double all = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) all += classes[c].count * std::abs(row_prices[c]);
  std::vector<double> prices(kernels, 0.0);
  for (std::size_t k = 0; k < kernels; ++k) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (classes[c].count > 0 && !std::isinf(classes[c].durations[k]))
        lowest = std::min(lowest, classes[c].durations[k] * std::abs(row_prices[c]) / all);
    if (!std::isinf(lowest) && all > 0) prices[k] = lowest;
  }
  return prices;
}

}  // namespace

AreaBound area_bound(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes) {
  std::vector<Share> const shares = possible_shares(tasks, classes);
  AreaBound bound{
      {0}, std::vector<double>(tasks.size() * classes.size(), 0.0), std::vector<double>(tasks.size(), 0.0)};
  if (shares.empty()) return bound;
  double const scale = time_scale(tasks, classes, shares);
  if (scale == 0) return bound;  // tasks that take no time

  // Columns: the fraction of each kernel's tasks on each class, then T / scale. Rows: classes, then kernels.
  ClpSimplex program;
  program.setLogLevel(0);
  auto const class_rows = static_cast<int>(classes.size());
  program.resize(class_rows + static_cast<int>(tasks.size()), 0);
  for (int c = 0; c < class_rows; ++c) program.setRowBounds(c, -COIN_DBL_MAX, 0);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    double const all = tasks[k] > 0 ? 1 : 0;
    program.setRowBounds(class_rows + static_cast<int>(k), all, all);
  }
  for (Share const& s : shares) {
    int const rows[] = {static_cast<int>(s.worker_class), class_rows + static_cast<int>(s.kernel)};
    double const work =
        static_cast<double>(tasks[s.kernel]) * classes[s.worker_class].durations[s.kernel] / scale;
    double const values[] = {work, 1};
    program.addColumn(2, rows, values, 0, COIN_DBL_MAX, 0);
  }
  std::vector<int> rows;
  std::vector<double> values;
  for (int c = 0; c < class_rows; ++c) {
    rows.push_back(c);
    values.push_back(-static_cast<double>(classes[static_cast<std::size_t>(c)].count));
  }
  program.addColumn(class_rows, rows.data(), values.data(), 0, COIN_DBL_MAX, 1);
  program.primal();
  FACTOSIM_ALWAYS(program.isProvenOptimal(), "the area bound's linear program was not solved");

  bound.makespan = Seconds{program.objectiveValue() * scale};
  double const* const solution = program.getColSolution();
  for (std::size_t i = 0; i < shares.size(); ++i)
    bound.shares[shares[i].kernel * classes.size() + shares[i].worker_class] =
        solution[i] * static_cast<double>(tasks[shares[i].kernel]);
  bound.prices = kernel_prices(tasks.size(), classes, {program.getRowPrice(), classes.size()});
  return bound;
}

}  // namespace factosim
