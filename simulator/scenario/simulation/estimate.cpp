#include "simulator/scenario/simulation/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "simulator/scenario/simulation/makespan_fit.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

// Chosen on seven of the scenarios of tests/estimates: see scenarios/guide/estimates.md.
constexpr std::array tail_shares{0.2, 0.26, 0.34, 0.44, 0.57};  // of the iterations, the last ones
constexpr double first_share = 0.15;       // of the tasks: in the windows at the beginning
constexpr double first_share_small = 0.3;  // the same of a problem with less tasks than
constexpr std::uint64_t small_problem = 1'000'000;
constexpr std::size_t least_tails = 3;  // before an estimate is trusted
constexpr double most_simulated = 0.5;  // of the tasks; more are only simulated for the first tails
constexpr std::uint64_t tasks_worth_sampling = 50'000;
constexpr double least_error = 0.01;     // relative
constexpr double error_of_excess = 0.4;  // relative error of the part of the makespan above the largest load
// Makespan over bound changes from the largest tail to the whole: the error of that, and the most that ends refining.
constexpr double error_of_extrapolation = 0.3, most_extrapolated = 0.1;
constexpr double error_margin = 1.5;  // of the stated error: 19 of 20 random estimates lie within it

IterationSample sample_of(Seconds makespan, Bounds const& b) {
  return {.makespan = makespan.value,
          .load = std::max(b.most_loaded_node(), b.link).value,
          .path = b.critical_path_with_comm.value};
}

/// Returns what the iterations take at least.
double larger(IterationSample const& s) { return std::max(s.load, s.path); }

/// Returns how much first iterations count, among tails that weigh the square of their share: nothing where their path
/// decides, as the panels of a flat QR do.
double weight_of(IterationSample const& first) {
  double const of_load = 1 - std::min(1., first.path / first.load);
  return of_load * of_load;
}

/// A makespan that was not simulated, and how it was found.
struct MakespanEstimate {
  Seconds makespan;
  Result::Detail detail;
};

/// Estimates the makespan of a tiled application from simulations of some of its iterations, each window with the data on
/// their owners at its start, until the tolerance of the scenario's "detail" is reached.
class IterationSampling {
 public:
  /// `bounds`: of the whole.
  IterationSampling(TaskPlan const& whole, Bounds const& bounds, ProgressCallback const& progress)
      : whole_(whole), whole_bounds_(bounds), progress_(progress), scenario_(whole.scenario) {
    scenario_.detail = {};
    detail_.type = name_of(whole.scenario.detail.type);
  }

  MakespanEstimate estimate() && {
    int const nt = application().parameters.nt;
    if (whole_.task_count() < tasks_worth_sampling) return simulated_whole(nt);
    int const first = first_iterations(nt);
    IterationSlope slope{.shorter = simulate({0, first}), .longer = simulate({0, 2 * first})};
    slope.weight = weight_of(slope.longer);
    std::vector<IterationSample> tails;
    std::vector<double> weights;
    Seconds estimate;
    for (double const share : tail_shares) {
      double const tasks = share * share * share;  // of all; the iterations of a product are equal
      int const iterations = std::max(1, static_cast<int>(std::lround((is_product() ? tasks : share) * nt)));
      if (tails.size() >= least_tails && simulated_share() + tasks > most_simulated) break;
      tails.push_back(simulate({nt - iterations, nt}));
      weights.push_back(share * share);
      Seconds const before = std::exchange(estimate, extrapolated(tails, weights, slope));
      if (tails.size() < least_tails) continue;
      double const moved = std::abs(estimate / before - 1);
      IterationSample const all = sample_of(estimate, whole_bounds_);
      double const of_tail = tails.back().makespan / larger(tails.back()),
                   of_all = all.makespan / larger(all);
      detail_.error_relative =
          error_margin * std::max({least_error, moved, error_of_excess * (all.makespan / all.load - 1),
                                   error_of_extrapolation * std::abs(of_all - of_tail)});
      if (moved <= tolerance() && std::abs(of_all - of_tail) <= most_extrapolated) break;
    }
    detail_.error_text =
        "from the last refinement, the excess over the largest load, and how far it was extrapolated";
    return {std::max(estimate, whole_bounds_.distribution()), std::move(detail_)};
  }

 private:
  [[nodiscard]] TiledApplication& application() { return std::get<TiledApplication>(scenario_.application); }
  /// Returns the iterations of the shorter window at the beginning. The longer one has twice as many.
  [[nodiscard]] int first_iterations(int nt) const {
    double const share = whole_.task_count() < small_problem ? first_share_small : first_share;
    double const of_one = is_product() ? 1. / nt : 3. / nt;  // share of the tasks in the first iteration
    return std::max(2, static_cast<int>(std::lround(share / (3 * of_one))));
  }
  [[nodiscard]] bool is_product() const {
    return std::get<TiledApplication>(scenario_.application).definition->is_product;
  }
  [[nodiscard]] double tolerance() const { return whole_.scenario.detail.tolerance; }
  [[nodiscard]] double simulated_share() const {
    return static_cast<double>(detail_.tasks_simulated) / static_cast<double>(whole_.task_count());
  }
  [[nodiscard]] Seconds extrapolated(std::span<IterationSample const> tails, std::span<double const> weights,
                                     IterationSlope const& slope) const {
    IterationSample const all = sample_of({}, whole_bounds_);
    return {fit_makespan(tails, weights, slope).makespan(all.load, all.path)};
  }

  MakespanEstimate simulated_whole(int nt) {
    Seconds const makespan{simulate({0, nt}).makespan};
    detail_.error_text = "all tasks were simulated: there are few";
    return {makespan, std::move(detail_)};
  }

  IterationSample simulate(IterationRange iterations) {
    application().parameters.iterations = iterations;
    TaskPlan const plan = plan_tasks(scenario_, TaskStorage::where_needed);
    Bounds const bounds = bounds_of(plan);
    std::uint64_t const before = detail_.tasks_simulated;
    auto const report = [&](std::uint64_t done) {
      if (progress_) progress_(before + done);
    };
    bool const in_child = scenario_.network.model == NetworkModel::simgrid;
    Seconds const makespan = in_child ? simulate_in_children(plan, std::span(&scenario_.noise, 1), 1).front()
                                      : simulate_with_seed(plan, scenario_.seed, nullptr, report).makespan;
    detail_.tasks_simulated += plan.task_count();
    detail_.windows.push_back({.first = iterations.first,
                               .end = iterations.end,
                               .tasks = plan.task_count(),
                               .makespan = makespan,
                               .bound = bounds.distribution()});
    return sample_of(makespan, bounds);
  }

  TaskPlan const& whole_;
  Bounds const& whole_bounds_;
  ProgressCallback const& progress_;
  PlacedScenario scenario_;  // of the windows
  Result::Detail detail_;
};

}  // namespace

Result estimate_run(EstimatePlan const& plan, ProgressCallback const& progress) {
  TaskPlan const whole = plan_work(plan.scenario);
  TaskFigures figures = figures_of(whole);
  CostMeter const meter;  // as that of a simulation, whose bounds are not counted
  auto [makespan, detail] = IterationSampling(whole, figures.bounds, progress).estimate();
  std::uint64_t const simulated = detail.tasks_simulated;
  return estimated_result(whole, std::move(figures), makespan, std::move(detail), meter.cost(simulated));
}

}  // namespace factosim
