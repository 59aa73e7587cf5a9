#include "simulator/runtime/policies/split_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulator/base/solver/linear_solver.hpp"

namespace factosim {

namespace {

constexpr double tasks_per_core = 1, tasks_per_gpu = 4;

class SplitProgram {
 public:
  SplitProgram(SplitCosts const& costs, std::span<std::uint64_t const> ready)
      : costs_(costs), ready_(ready), makespan_(program_.column(1)) {
    for (SplitCosts::Kernel const& kernel : costs.coarse) coarse_.push_back(columns_of(kernel));
    for (SplitCosts::Kernel const& kernel : costs.fine) fine_.push_back(columns_of(kernel));
    for (std::size_t k = 0; k < costs.coarse.size(); ++k) split_.push_back(program_.column(0));
    for (std::size_t k = 0; k < costs.coarse.size(); ++k) divide_coarse(k);
    for (std::size_t f = 0; f < costs.fine.size(); ++f) divide_fine(f);
    limit_time(&Places::core, &SplitCosts::Kernel::core_s, costs.cores, true);
    limit_time(&Places::gpu, &SplitCosts::Kernel::gpu_s, costs.gpus, false);
  }

  [[nodiscard]] std::optional<LinearSolution> solution() {
    LinearProblem const any_number = program_;
    at_least(&Places::core, tasks_per_core * costs_.cores);
    at_least(&Places::gpu, tasks_per_gpu * costs_.gpus);
    if (auto found = solve(program_, SimplexMethod::dual)) return found;
    return solve(any_number, SimplexMethod::dual);
  }
  [[nodiscard]] double share(std::size_t kernel, LinearSolution const& solution) const {
    double const tasks = static_cast<double>(ready_[kernel]);
    return std::clamp(solution.x[static_cast<std::size_t>(split_[kernel])] / tasks, 0.0, 1.0);
  }

 private:
  struct Places {
    std::optional<int> core, gpu;  // columns: tasks there; none: no worker runs them
  };

  Places columns_of(SplitCosts::Kernel const& kernel) {
    Places out;
    if (!std::isinf(kernel.core_s) && costs_.cores > 0) out.core = program_.column(0);
    if (!std::isinf(kernel.gpu_s) && costs_.gpus > 0) out.gpu = program_.column(0);
    return out;
  }
  void add_places(Places const& places) {
    for (auto const& column : {places.core, places.gpu})
      if (column) program_.add(*column, 1);
  }
  void divide_coarse(std::size_t k) {
    add_places(coarse_[k]);
    program_.add(split_[k], 1);
    auto const tasks = static_cast<double>(ready_[k]);
    program_.row(tasks, tasks);
  }
  void divide_fine(std::size_t f) {
    add_places(fine_[f]);
    for (std::size_t k = 0; k < split_.size(); ++k)
      if (costs_.children[k][f] > 0) program_.add(split_[k], -costs_.children[k][f]);
    auto const tasks = static_cast<double>(ready_[costs_.coarse.size() + f]);
    program_.row(tasks, tasks);
  }
  void limit_time(std::optional<int> Places::*place, double SplitCosts::Kernel::*seconds, double workers,
                  bool splits) {
    if (workers == 0) return;
    for (std::size_t k = 0; k < coarse_.size(); ++k) {
      if (coarse_[k].*place) program_.add(*(coarse_[k].*place), costs_.coarse[k].*seconds);
      if (splits && costs_.split_s[k] > 0) program_.add(split_[k], costs_.split_s[k]);
    }
    for (std::size_t f = 0; f < fine_.size(); ++f)
      if (fine_[f].*place) program_.add(*(fine_[f].*place), costs_.fine[f].*seconds);
    program_.add(makespan_, -workers);
    program_.row(-LinearProblem::unbounded, 0);
  }
  void at_least(std::optional<int> Places::*place, double tasks) {
    if (tasks == 0) return;
    for (Places const& p : coarse_)
      if (p.*place) program_.add(*(p.*place), 1);
    for (Places const& p : fine_)
      if (p.*place) program_.add(*(p.*place), 1);
    program_.row(tasks, LinearProblem::unbounded);
  }

  SplitCosts const& costs_;
  std::span<std::uint64_t const> ready_;
  LinearProblem program_;
  int makespan_;
  std::vector<Places> coarse_, fine_;
  std::vector<int> split_;  // [coarse kernels] columns
};

}  // namespace

std::vector<double> split_ratios(SplitCosts const& costs, std::span<std::uint64_t const> ready) {
  SplitProgram program(costs, ready);
  auto const solution = program.solution();
  std::vector<double> out(costs.coarse.size(), no_ready_task);
  for (std::size_t k = 0; k < out.size(); ++k)
    if (ready[k] > 0) out[k] = solution ? program.share(k, *solution) : 0;
  return out;
}

}  // namespace factosim
