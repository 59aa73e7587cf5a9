#include "simulator/graph/area_bound.hpp"

#include <cmath>
#include <string>

#include "factosim/error.hpp"
#include "simulator/solver/linear_solver.hpp"

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

}  // namespace

AreaBound area_bound(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes) {
  std::vector<Share> const shares = possible_shares(tasks, classes);
  AreaBound bound{{0}, std::vector<double>(tasks.size() * classes.size(), 0.0)};
  if (shares.empty()) return bound;
  double const scale = time_scale(tasks, classes, shares);

  // Columns: the fraction of each kernel's tasks on each class, then T / scale. Rows: classes, then kernels.
  LinearProblem program;
  std::vector<int> row_of_class, row_of_kernel;
  for (std::size_t c = 0; c < classes.size(); ++c)
    row_of_class.push_back(program.row(-LinearProblem::unbounded, 0));
  for (std::uint64_t const of_kernel : tasks) {
    double const all = of_kernel > 0 ? 1 : 0;
    row_of_kernel.push_back(program.row(all, all));
  }
  for (Share const& s : shares) {
    int const share = program.column(0);
    program.add(row_of_class[s.worker_class], share,
                static_cast<double>(tasks[s.kernel]) * classes[s.worker_class].durations[s.kernel] / scale);
    program.add(row_of_kernel[s.kernel], share, 1);
  }
  int const end = program.column(1);
  for (std::size_t c = 0; c < classes.size(); ++c)
    program.add(row_of_class[c], end, -static_cast<double>(classes[c].count));
  auto const optimum = solve(program, SimplexMethod::primal);
  FACTOSIM_ALWAYS(optimum, "the area bound's linear program was not solved");

  bound.makespan = Seconds{optimum->objective * scale};
  for (std::size_t i = 0; i < shares.size(); ++i)
    bound.shares[shares[i].kernel * classes.size() + shares[i].worker_class] =
        optimum->x[i] * static_cast<double>(tasks[shares[i].kernel]);
  return bound;
}

}  // namespace factosim
