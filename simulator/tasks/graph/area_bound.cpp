#include "simulator/tasks/graph/area_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/solver/linear_solver.hpp"

namespace factosim {

namespace {

/// Relative difference of a bound and the time that its shares take, above which the linear program is solved
/// precisely.
constexpr double duality_gap = 1e-9;

/// A variable of the linear program: the tasks of one kernel on one class.
struct Share {
  std::size_t kernel, worker_class;
};

std::vector<Share> possible_shares(std::span<double const> tasks, std::span<WorkerClass const> classes) {
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

/// Returns a sufficient time, a unit of the linear program: its coefficients are then at most 1, for kernels of any
/// duration.
double sufficient_time(std::span<double const> tasks, std::span<WorkerClass const> classes,
                       std::vector<Share> const& shares) {
  double longest = 0;
  for (Share const& s : shares)
    longest = std::max(longest, tasks[s.kernel] * classes[s.worker_class].durations[s.kernel]);
  return longest;
}

/// Returns equal classes as one, in the order of their durations, so that the result does not depend on the order
/// in which the caller lists them.
std::vector<WorkerClass> merged(std::span<WorkerClass const> classes) {
  std::vector<WorkerClass> out;
  for (WorkerClass const& c : classes)
    if (c.count > 0) out.push_back(c);
  std::ranges::sort(out, {}, &WorkerClass::durations);
  std::vector<WorkerClass> different;
  for (WorkerClass& c : out)
    if (!different.empty() && different.back().durations == c.durations)
      different.back().count += c.count;
    else
      different.push_back(std::move(c));
  return different;
}

/// The value of each class's time and the tasks of each kernel on each class, at the optimum.
struct Optimum {
  std::vector<double> value;  // [classes], of the dual program
  std::vector<double> tasks;  // [shares]
};

/// Columns: the fraction of each kernel's tasks on each class, then T / scale. Rows: classes, then kernels. Returns nothing
/// if the solver fails.
std::optional<Optimum> best_shares(std::span<double const> tasks, std::span<WorkerClass const> classes,
                                   std::vector<Share> const& shares, double scale) {
  Optimum out;
  if (classes.size() == 1 || scale == 0) {
    out.value.assign(classes.size(), 1);
    for (Share const& s : shares) out.tasks.push_back(s.worker_class == 0 ? tasks[s.kernel] : 0);
    return out;
  }
  LinearProblem program;
  std::vector<int> row_of_class, row_of_kernel;
  for (std::size_t c = 0; c < classes.size(); ++c)
    row_of_class.push_back(program.row(-LinearProblem::unbounded, 0));
  for (double const of_kernel : tasks) {
    double const all = of_kernel > 0 ? 1 : 0;
    row_of_kernel.push_back(program.row(all, all));
  }
  for (Share const& s : shares) {
    int const share = program.column(0);
    program.add(row_of_class[s.worker_class], share,
                tasks[s.kernel] * classes[s.worker_class].durations[s.kernel] / scale);
    program.add(row_of_kernel[s.kernel], share, 1);
  }
  int const end = program.column(1);
  for (std::size_t c = 0; c < classes.size(); ++c)
    program.add(row_of_class[c], end, -static_cast<double>(classes[c].count));
  auto const solution = solve(program, SimplexMethod::primal);
  if (!solution) return std::nullopt;
  for (std::size_t c = 0; c < classes.size(); ++c)
    out.value.push_back(std::max(0.0, -solution->row_price[static_cast<std::size_t>(row_of_class[c])]));
  for (std::size_t i = 0; i < shares.size(); ++i)
    out.tasks.push_back(solution->x[i] * tasks[shares[i].kernel]);
  return out;
}

/// The same optimum to the precision of doubles, for durations of any magnitude. The program is scaled so that the largest
/// coefficient of each column and of nearly each row is 1. Columns: the time of each class for each kernel, in units of the
/// work W per worker if each kernel were on its fastest class; the idle time of each class; T / W. Rows: each class is busy or idle; the tasks of
/// each kernel, as time on its fastest class.
std::optional<Optimum> precise_shares(std::span<double const> tasks, std::span<WorkerClass const> classes,
                                      std::vector<Share> const& shares) {
  std::vector<double> least(tasks.size(), std::numeric_limits<double>::infinity());
  for (Share const& s : shares)
    least[s.kernel] = std::min(least[s.kernel], classes[s.worker_class].durations[s.kernel]);
  double work = 0, workers = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (tasks[k] > 0) work += tasks[k] * least[k];
  for (WorkerClass const& c : classes) workers += static_cast<double>(c.count);
  if (!(work > 0)) return std::nullopt;
  double const unit = work / workers;
  LinearProblem program;
  std::vector<int> row_of_class, row_of_kernel;
  for (std::size_t c = 0; c < classes.size(); ++c) row_of_class.push_back(program.row(0, 0));
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    double const time = tasks[k] > 0 ? tasks[k] * least[k] / unit : 0;
    row_of_kernel.push_back(program.row(time, time));
  }
  auto const duration = [&](Share const& s) { return classes[s.worker_class].durations[s.kernel]; };
  for (Share const& s : shares) {
    int const time = program.column(0);
    program.add(row_of_class[s.worker_class], time, 1);
    if (duration(s) > 0) program.add(row_of_kernel[s.kernel], time, least[s.kernel] / duration(s));
  }
  for (int const row : row_of_class) program.add(row, program.column(0), 1);
  int const end = program.column(1);
  for (std::size_t c = 0; c < classes.size(); ++c)
    program.add(row_of_class[c], end, -static_cast<double>(classes[c].count));
  auto const solution = solve_precisely(program, SimplexMethod::primal);
  if (!solution) return std::nullopt;
  Optimum out;
  for (int const row : row_of_class)
    out.value.push_back(std::max(0.0, -solution->row_price[static_cast<std::size_t>(row)]));
  for (std::size_t i = 0; i < shares.size(); ++i)
    out.tasks.push_back(duration(shares[i]) > 0 ? solution->x[i] * unit / duration(shares[i]) : 0);
  return out;
}

/// Returns what a task of each kernel adds to the makespan at least, [kernels], for any values v of the classes'
/// time, by weak duality: min over c of v(c) d(k, c), divided by the sum over c of v(c) count(c). Each class c has
/// at most T count(c) of time, so the weighted time of all tasks is at most T times the divisor. With the values of
/// an optimal dual solution, tasks times prices is the optimum. The solver's tolerances thus cannot raise the bound.
std::vector<long double> dual_prices(std::size_t kernels, std::span<WorkerClass const> classes,
                                     std::vector<double> const& value) {
  std::vector<long double> prices(kernels, 0);
  long double workers = 0;
  for (std::size_t c = 0; c < classes.size(); ++c)
    workers += static_cast<long double>(value[c]) * classes[c].count;
  if (!(workers > 0)) return prices;
  for (std::size_t k = 0; k < kernels; ++k) {
    long double least = std::numeric_limits<long double>::infinity();
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (!std::isinf(classes[c].durations[k]))
        least = std::min(least, static_cast<long double>(value[c]) * classes[c].durations[k]);
    if (!std::isinf(least)) prices[k] = least;
  }
  for (long double& price : prices) price /= workers;
  return prices;
}

/// Returns the sum of the tasks' prices without what the rounding of this sum and of the prices may have added.
double priced(std::span<double const> tasks, std::span<WorkerClass const> classes,
              std::vector<double> const& value, std::vector<long double> const& prices) {
  long double sum = 0;
  if (classes.size() == 1) {  // exact sums of whole durations
    for (std::size_t k = 0; k < tasks.size(); ++k)
      if (tasks[k] > 0)
        sum += static_cast<long double>(classes[0].durations[k]) * static_cast<long double>(tasks[k]);
    return value[0] > 0 ? static_cast<double>(sum / classes[0].count) : 0;
  }
  for (std::size_t k = 0; k < tasks.size(); ++k) sum += prices[k] * static_cast<long double>(tasks[k]);
  auto const operations = static_cast<long double>(2 * (tasks.size() + classes.size()) + 2);
  return static_cast<double>(sum * (1 - operations * std::numeric_limits<long double>::epsilon()));
}

/// Returns the time that the shares take when each kernel has exactly its tasks: an upper bound of the optimum.
double time_of(Optimum const& optimum, std::span<double const> tasks, std::span<WorkerClass const> classes,
               std::vector<Share> const& shares) {
  std::vector<double> work(classes.size(), 0), of_kernel(tasks.size(), 0);
  for (std::size_t i = 0; i < shares.size(); ++i)
    of_kernel[shares[i].kernel] += std::max(0.0, optimum.tasks[i]);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    auto const [kernel, worker_class] = shares[i];
    if (!(optimum.tasks[i] > 0)) continue;
    work[worker_class] +=
        optimum.tasks[i] / of_kernel[kernel] * tasks[kernel] * classes[worker_class].durations[kernel];
  }
  double longest = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) longest = std::max(longest, work[c] / classes[c].count);
  return longest;
}

}  // namespace

AreaBound area_bound(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes) {
  std::vector<double> const work(tasks.begin(), tasks.end());
  return area_bound(std::span<double const>(work), classes);
}

AreaBound area_bound(std::span<double const> tasks, std::span<WorkerClass const> given) {
  AreaBound bound{
      {0}, std::vector<double>(tasks.size() * given.size(), 0.0), std::vector<double>(tasks.size(), 0.0)};
  std::vector<WorkerClass> const classes = merged(given);
  std::vector<Share> const shares = possible_shares(tasks, classes);
  if (shares.empty()) return bound;
  auto const coarse = best_shares(tasks, classes, shares, sufficient_time(tasks, classes, shares));
  FACTOSIM_ALWAYS(coarse, "the area bound's linear program was not solved");
  Optimum optimum = *coarse;
  std::vector<long double> prices = dual_prices(tasks.size(), classes, optimum.value);
  bound.makespan = Seconds{priced(tasks, classes, optimum.value, prices)};
  if (time_of(optimum, tasks, classes, shares) > bound.makespan.value * (1 + duality_gap)) {
    if (auto precise = precise_shares(tasks, classes, shares)) {
      auto precise_prices = dual_prices(tasks.size(), classes, precise->value);
      double const value = priced(tasks, classes, precise->value, precise_prices);
      if (value > bound.makespan.value * (1 + duality_gap)) {
        bound.makespan = Seconds{value};
        optimum = *std::move(precise);
        prices = std::move(precise_prices);
      }
    }
  }
  for (std::size_t k = 0; k < tasks.size(); ++k) bound.prices[k] = static_cast<double>(prices[k]);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    WorkerClass const& worker_class = classes[shares[i].worker_class];
    for (std::size_t c = 0; c < given.size(); ++c)
      if (given[c].durations == worker_class.durations)
        bound.shares[shares[i].kernel * given.size() + c] =
            optimum.tasks[i] * (static_cast<double>(given[c].count) / worker_class.count);
  }
  return bound;
}

}  // namespace factosim
