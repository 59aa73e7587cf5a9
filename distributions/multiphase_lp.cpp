#include "distributions/multiphase_lp.hpp"

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "simulator/base/solver/linear_solver.hpp"

namespace factosim {

namespace {

constexpr double unlimited = LinearProblem::unbounded;
constexpr int none = -1;

class PhaseProgram {
 public:
  PhaseProgram(PhaseSteps const& steps, std::vector<PhaseGroup> const& groups)
      : steps_(steps), groups_(groups), kernels_(steps.front().size()) {
    scale_ = 0;  // unit of time close to the optimum, for good conditioning
    for (PhaseGroup const& group : groups)
      for (double const w : group.seconds)
        if (!std::isinf(w)) scale_ = std::max(scale_, w);
    add_columns();
    for (std::size_t s = 0; s < steps.size(); ++s) add_rows(s);
  }

  PhaseLoads solve() {
    auto const solution = factosim::solve(program_, SimplexMethod::dual);
    FACTOSIM_ALWAYS(solution, "the linear program of the phases was not solved");
    std::vector<double> const& x = solution->x;
    PhaseLoads out;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      out.generation_end.push_back(x[static_cast<std::size_t>(generated_[s])] * scale_);
      out.factorization_end.push_back(x[static_cast<std::size_t>(factorized_[s])] * scale_);
      out.objective_sum += out.generation_end.back() + out.factorization_end.back();
    }
    out.makespan_s = out.factorization_end.back();
    out.generation_end_s = out.generation_end.back();
    out.tasks.assign(groups_.size(), std::vector<double>(kernels_, 0.0));
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (std::size_t r = 0; r < groups_.size(); ++r)
        for (std::size_t t = 0; t < kernels_; ++t)
          if (int const c = share(s, t, r); c != none) out.tasks[r][t] += x[static_cast<std::size_t>(c)];
    return out;
  }

 private:
  [[nodiscard]] int& share(std::size_t s, std::size_t t, std::size_t r) {
    return shares_[(s * kernels_ + t) * groups_.size() + r];
  }
  [[nodiscard]] double w(std::size_t t, std::size_t r) const { return groups_[r].seconds[t] / scale_; }

  void add_columns() {
    double fastest = unlimited;
    for (PhaseGroup const& group : groups_) fastest = std::min(fastest, group.seconds[0] / scale_);
    shares_.assign(steps_.size() * kernels_ * groups_.size(), none);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      generated_.push_back(program_.column(1, s == 0 ? fastest : 0));  // (18)
      factorized_.push_back(program_.column(1));
      for (std::size_t r = 0; r < groups_.size(); ++r) used_.push_back(program_.column(0));
      for (std::size_t t = 0; t < kernels_; ++t)
        for (std::size_t r = 0; r < groups_.size(); ++r)
          if (steps_[s][t] > 0 && !std::isinf(groups_[r].seconds[t])) share(s, t, r) = program_.column(0);
    }
  }

  /// Adds the time of the step's tasks on the group, without generation.
  void add_factorization(std::size_t s, std::size_t r) {
    for (std::size_t t = 1; t < kernels_; ++t)
      if (int const c = share(s, t, r); c != none) program_.add(c, w(t, r));
  }

  void add_rows(std::size_t s) {
    for (std::size_t t = 0; t < kernels_; ++t) {
      if (steps_[s][t] == 0) continue;
      bool possible = false;
      for (std::size_t r = 0; r < groups_.size(); ++r)
        if (int const c = share(s, t, r); c != none) {
          program_.add(c, 1);
          possible = true;
        }
      if (!possible)
        throw InfeasibleError("no worker can run the tasks of kernel number " + std::to_string(t));
      program_.row(steps_[s][t], steps_[s][t]);  // (13)
    }
    for (std::size_t r = 0; r < groups_.size(); ++r) {
      int const generation = share(s, 0, r);
      if (s > 0 && generation != none) {
        program_.add(generated_[s - 1], 1);
        program_.add(generation, w(0, r));
        program_.add(generated_[s], -1);
        program_.row(-unlimited, 0);  // (14)
      }
      add_factorization(s, r);
      program_.add(generated_[s], 1);
      program_.add(factorized_[s], -1);
      program_.row(-unlimited, 0);  // (15)
      if (s > 0) {
        add_factorization(s, r);
        program_.add(factorized_[s - 1], 1);
        program_.add(factorized_[s], -1);
        program_.row(-unlimited, 0);  // (16)
      }
      if (generation != none) program_.add(generation, w(0, r));
      add_factorization(s, r);
      if (s > 0) program_.add(used_[(s - 1) * groups_.size() + r], 1);
      program_.add(used_[s * groups_.size() + r], -1);
      program_.row(0, 0);
      program_.add(used_[s * groups_.size() + r], 1);
      program_.add(factorized_[s], -1);
      program_.row(-unlimited, 0);  // (17)
    }
  }

  PhaseSteps const& steps_;
  std::vector<PhaseGroup> const& groups_;
  std::size_t kernels_;
  double scale_ = 1;
  LinearProblem program_;
  std::vector<int> generated_, factorized_;  // [steps] G, F
  std::vector<int> used_;                    // [steps][groups] busy time up to the step
  std::vector<int> shares_;  // [steps][kernels][groups] alpha; none: the kernel cannot run there
};

}  // namespace

PhaseLoads phase_loads(PhaseSteps const& steps, PhaseGroups const& groups) {
  PhaseLoads out = PhaseProgram(steps, groups.groups).solve();
  for (std::uint32_t const type : groups.type_of) {
    auto const nodes = static_cast<double>(std::count(groups.type_of.begin(), groups.type_of.end(), type));
    double generation = 0, factorization = 0;
    for (std::size_t r = 0; r < groups.groups.size(); ++r) {
      if (groups.groups[r].node_type != type) continue;
      generation += out.tasks[r][0];
      for (std::size_t t = 1; t < groups.flops.size(); ++t)
        factorization += out.tasks[r][t] * groups.flops[t];
    }
    out.generation.push_back(generation / nodes);
    out.factorization.push_back(factorization / nodes);
  }
  return out;
}

}  // namespace factosim
