#include "simulator/experiments/balance/equal_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factosim/error.hpp"
#include "simulator/base/solver/nonlinear_solver.hpp"

namespace factosim {

namespace {

using Workers = std::span<EqualTimeWorker const>;

/// Returns the largest relative violation of the equations by these sizes and that end.
double equal_time_residual(Workers workers, double work, std::span<double const> size, double end) {
  double residual = std::abs(std::accumulate(size.begin(), size.end(), 0.0) - work) / work;
  double first = std::numeric_limits<double>::infinity();
  for (EqualTimeWorker const& w : workers) first = std::min(first, w.free_at);
  for (std::size_t p = 0; p < workers.size(); ++p)
    if (size[p] > 0)
      residual = std::max(
          residual, std::abs(workers[p].free_at + workers[p].time->seconds(size[p]) - end) / (end - first));
  return residual;
}

/// Returns the work that all workers together finish by that date.
double done_by(Workers workers, double date) {
  return std::accumulate(workers.begin(), workers.end(), 0.0, [&](double sum, EqualTimeWorker const& w) {
    return sum + w.time->size_within(date - w.free_at);
  });
}

double first_possible_end(EqualTimeWorker const& w) { return w.free_at + w.time->seconds(0); }

/// Returns the date at which the fastest worker would have done all of the work.
double last_end(Workers workers, double work) {
  double end = std::numeric_limits<double>::infinity();
  for (EqualTimeWorker const& w : workers) end = std::min(end, w.free_at + w.time->seconds(work));
  return end;
}

/// The system as a square nonlinear program: no objective, n + 1 equations, n sizes and T.
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
    out.residual = equal_time_residual(workers_, work_, out.size, out.end);
    out.by_ipopt = true;
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

EqualTimeSolution equal_time_by_bracketing(Workers workers, double work) {
  double low = std::numeric_limits<double>::infinity();
  for (EqualTimeWorker const& w : workers) low = std::min(low, first_possible_end(w));
  double const high = last_end(workers, work);
  EqualTimeSolution out;
  out.end = increasing_root([&](double date) { return done_by(workers, date) - work; }, low, high);
  for (EqualTimeWorker const& w : workers) out.size.push_back(w.time->size_within(out.end - w.free_at));
  out.residual = equal_time_residual(workers, work, out.size, out.end);
  return out;
}

EqualTimeSolution EqualTimeSolver::solve(Workers workers, double work) {
  FACTOSIM_EXPECT(!workers.empty() && work > 0, "somebody must do some work");
  // A worker that could end its smallest block only after the others have done all the work gets none.
  std::vector<std::size_t> order(workers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return first_possible_end(workers[a]) < first_possible_end(workers[b]);
  });
  std::vector<EqualTimeWorker> active;
  std::vector<std::size_t> place;
  for (std::size_t const p : order) {
    if (!active.empty() && done_by(active, first_possible_end(workers[p])) >= work) break;
    active.push_back(workers[p]);
    place.push_back(p);
  }

  EqualTimeProgram const program(active, work);
  NonlinearSolution const found =
      factosim::solve(program, {.tolerance = 1e-9, .max_iterations = 200, .initial_barrier = 1e-4});
  EqualTimeSolution of_active;
  if (found.converged) of_active = program.solution(found.x);
  if (found.converged && of_active.residual <= tolerance) {
    ++by_ipopt_;
  } else {
    of_active = equal_time_by_bracketing(active, work);
    ++by_bracketing_;
  }
  largest_residual_ = std::max(largest_residual_, of_active.residual);

  EqualTimeSolution out = of_active;
  out.size.assign(workers.size(), 0);
  for (std::size_t i = 0; i < place.size(); ++i) out.size[place[i]] = of_active.size[i];
  return out;
}

}  // namespace factosim
