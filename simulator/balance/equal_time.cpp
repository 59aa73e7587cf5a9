#include "simulator/balance/equal_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factosim/error.hpp"
#include "simulator/balance/equal_time_ipopt.hpp"
#include "simulator/balance/increasing_root.hpp"

namespace factosim {

namespace {

using Workers = std::span<EqualTimeWorker const>;

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

}  // namespace

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

EqualTimeSolver::EqualTimeSolver() : ipopt_(std::make_unique<EqualTimeIpopt>()) {}
EqualTimeSolver::~EqualTimeSolver() = default;

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

  auto const solved = ipopt_->solve(active, work);
  EqualTimeSolution of_active;
  if (solved && equal_time_residual(active, work, solved->size, solved->end) <= tolerance) {
    of_active = *solved;
    of_active.residual = equal_time_residual(active, work, of_active.size, of_active.end);
    of_active.by_ipopt = true;
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
