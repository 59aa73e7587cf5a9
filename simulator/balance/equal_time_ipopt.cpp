#include "simulator/balance/equal_time_ipopt.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace factosim {

namespace {

/// The unknowns are the sizes as fractions of the work, then T in units of `scale_`; the equations of the workers
/// have the same unit.
class EqualTimeProgram final : public NonlinearProgram {
 public:
  EqualTimeProgram(std::span<EqualTimeWorker const> workers, double work) : workers_(workers), work_(work) {
    double fastest = std::numeric_limits<double>::infinity();
    origin_ = fastest;
    for (EqualTimeWorker const& w : workers) {
      origin_ = std::min(origin_, w.free_at);
      fastest = std::min(fastest, w.free_at + w.time->seconds(work / static_cast<double>(workers.size())));
    }
    scale_ = fastest - origin_;
  }

  [[nodiscard]] EqualTimeSolution solution(std::vector<double> const& x) const {
    EqualTimeSolution out;
    for (std::size_t p = 0; p < workers_.size(); ++p) out.size.push_back(x[p] * work_);
    out.end = origin_ + x.back() * scale_;
    return out;
  }

  [[nodiscard]] Bounds variables() const override {
    Bounds out;
    for (int p = 0; p < count(); ++p) out.add(0, 1);
    out.add(0, unbounded);
    return out;
  }
  [[nodiscard]] Bounds constraints() const override {
    Bounds out;
    for (int p = 0; p < count(); ++p) out.add(0, 0);
    out.add(1, 1);
    return out;
  }

  /// Sizes in proportion to the work that each worker does in the time that the fastest needs for an equal share.
  [[nodiscard]] std::vector<double> start() const override {
    std::vector<double> x;
    double sum = 0;
    for (EqualTimeWorker const& w : workers_) {
      double const size = w.time->size_within(origin_ + scale_ - w.free_at);
      x.push_back(std::max(size / work_, 1e-6));
      sum += x.back();
    }
    for (double& fraction : x) fraction /= sum;
    x.push_back(1);
    return x;
  }

  [[nodiscard]] double objective(double const*) const override { return 0; }
  void gradient(double const*, double* out) const override { std::fill_n(out, count() + 1, 0.0); }

  void constraint_values(double const* x, double* out) const override {
    out[count()] = 0;
    for (int p = 0; p < count(); ++p) {
      double const end = worker(p).free_at + worker(p).time->seconds(x[p] * work_);
      out[p] = (end - origin_) / scale_ - x[count()];
      out[count()] += x[p];
    }
  }

  void jacobian(double const* x, Entries& out) const override {
    for (int p = 0; p < count(); ++p) {
      out.add(p, p, worker(p).time->slope(x[p] * work_) * work_ / scale_);
      out.add(p, count(), -1);
      out.add(count(), p, 1);
    }
  }

  void hessian(double const* x, double const* multiplier, Entries& out) const override {
    for (int p = 0; p < count(); ++p) {
      double const size = x[p] * work_, step = 1e-4 * size;
      double const change = worker(p).time->slope(size + step) - worker(p).time->slope(size - step);
      out.add(p, p, multiplier[p] * change / (2 * step) * work_ * work_ / scale_);
    }
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(workers_.size()); }
  [[nodiscard]] EqualTimeWorker const& worker(int p) const { return workers_[static_cast<std::size_t>(p)]; }

  std::span<EqualTimeWorker const> workers_;
  double work_;
  double origin_, scale_;  // seconds
};

}  // namespace

EqualTimeIpopt::EqualTimeIpopt()
    : solver_(make_nonlinear_solver({.tolerance = 1e-9, .max_iterations = 200, .initial_barrier = 1e-4})) {}

std::optional<EqualTimeSolution> EqualTimeIpopt::solve(std::span<EqualTimeWorker const> workers,
                                                       double work) {
  EqualTimeProgram const program(workers, work);
  NonlinearSolution const found = solver_->solve(program);
  if (!found.converged) return std::nullopt;
  return program.solution(found.x);
}

}  // namespace factosim
