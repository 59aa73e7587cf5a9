#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "simulator/audit/expected_result.hpp"

namespace factosim::audit {

namespace {

/// Relative tolerance of the bound in a result: the linear program there ends at Clp's tolerance of 1e-7.
constexpr double area_round_off = 1e-6;

/// Workers with the same durations.
struct WorkerClass {
  double count = 0;
  std::vector<double> durations;  // [kernels] seconds; infinite: cannot run it
};

/// Maximises objective x subject to rows x <= limits, x >= 0, limits >= 0, and returns the maximum. Simplex method
/// with Bland's rule.
double maximum(std::vector<std::vector<double>> rows, std::vector<double> limits,
               std::vector<double> objective) {
  constexpr double zero = 1e-12;
  std::size_t const variables = objective.size(), slacks = rows.size();
  objective.resize(variables + slacks, 0);
  std::vector<std::size_t> basis(slacks);
  std::iota(basis.begin(), basis.end(), variables);
  for (std::size_t i = 0; i < slacks; ++i) {
    rows[i].resize(variables + slacks, 0);
    rows[i][variables + i] = 1;
  }
  double value = 0;
  while (true) {
    auto const positive = std::ranges::find_if(objective, [](double c) { return c > zero; });
    if (positive == objective.end()) return value;
    auto const entering = static_cast<std::size_t>(positive - objective.begin());
    std::size_t leaving = slacks;
    for (std::size_t i = 0; i < slacks; ++i) {
      if (rows[i][entering] <= zero) continue;
      double const ratio = limits[i] / rows[i][entering];
      double const best = leaving == slacks ? HUGE_VAL : limits[leaving] / rows[leaving][entering];
      if (ratio < best || (ratio == best && basis[i] < basis[leaving])) leaving = i;
    }
    if (leaving == slacks) return std::numeric_limits<double>::infinity();
    double const pivot = rows[leaving][entering];
    for (double& a : rows[leaving]) a /= pivot;
    limits[leaving] /= pivot;
    auto const eliminate = [&](std::vector<double>& row) {
      double const factor = row[entering];
      if (factor != 0)
        for (std::size_t j = 0; j < row.size(); ++j) row[j] -= factor * rows[leaving][j];
      return factor;
    };
    for (std::size_t i = 0; i < slacks; ++i)
      if (i != leaving) limits[i] = std::max(0.0, limits[i] - eliminate(rows[i]) * limits[leaving]);
    value += eliminate(objective) * limits[leaving];
    basis[leaving] = entering;
  }
}

/// The least time in which the classes can execute the tasks of each kernel, cut at will, by the dual of the linear
/// program: prices w of a second of each class, at which all workers together cost 1, and values y of each task,
/// y <= d w on each class that can run it, whose sum is maximal. y is in units of the kernel's least duration m, so
/// that the coefficients of y m / d <= w are at most 1 and the maximum is at least 1 / workers.
double area_bound_s(std::vector<double> const& tasks, std::vector<WorkerClass> const& classes) {
  std::size_t const kernels = tasks.size();
  std::vector<double> least(kernels, std::numeric_limits<double>::infinity());
  for (WorkerClass const& c : classes)
    for (std::size_t k = 0; k < kernels; ++k) least[k] = std::min(least[k], c.durations[k]);
  double work = 0;
  for (std::size_t k = 0; k < kernels; ++k)
    if (tasks[k] > 0) work += tasks[k] * least[k];
  if (work == 0 || !std::isfinite(work)) return 0;
  std::vector<std::vector<double>> rows;
  std::vector<double> limits, objective(kernels + classes.size(), 0);
  for (std::size_t k = 0; k < kernels; ++k) {
    if (tasks[k] == 0) continue;
    objective[k] = tasks[k] * least[k] / work;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (!std::isfinite(classes[c].durations[k])) continue;
      auto& row = rows.emplace_back(objective.size(), 0);
      row[k] = classes[c].durations[k] > 0 ? least[k] / classes[c].durations[k] : 1;
      row[kernels + c] = -1;
      limits.push_back(0);
    }
  }
  auto& price = rows.emplace_back(objective.size(), 0);
  for (std::size_t c = 0; c < classes.size(); ++c) price[kernels + c] = classes[c].count;
  limits.push_back(1);
  return maximum(std::move(rows), std::move(limits), std::move(objective)) * work;
}

void add_workers(RunView const& view, NodeId node, std::vector<WorkerClass>& classes) {
  std::size_t const kernels = view.run.graph.kernels.size();
  for (std::size_t w = 0; w < view.machine.workers(node).size(); ++w) {
    WorkerClass one{.count = 1, .durations = {}};
    for (std::size_t k = 0; k < kernels; ++k) one.durations.push_back(view.machine.least_s(node, k, w));
    auto const alike = std::ranges::find(classes, one.durations, &WorkerClass::durations);
    if (alike != classes.end())
      ++alike->count;
    else
      classes.push_back(std::move(one));
  }
}

/// The bound in the result, from durations in whole ticks.
ExpectedValue rounded(RunView const& view, double bound_s, std::vector<double> const& tasks) {
  return {.value = bound_s,
          .tolerance = area_round_off,
          .slack = view.tick_s * std::accumulate(tasks.begin(), tasks.end(), 1.0)};
}

}  // namespace

void expect_area_bounds(RunView const& view, ExpectedResult& out) {
  std::size_t const nodes = view.run.platform.nodes.size(), kernels = view.run.graph.kernels.size();
  std::vector<std::vector<double>> tasks(nodes, std::vector<double>(kernels, 0));
  std::vector<double> total(kernels, 0);
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.home[t].valid()) continue;
    ++tasks[view.home[t].index()][view.run.graph.kernel[t]];
    ++total[view.run.graph.kernel[t]];
  }
  std::map<std::pair<std::uint32_t, std::vector<double>>, double> known;  // by type and tasks
  std::vector<WorkerClass> all;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_workers(view, NodeId{n}, all);
    auto const [bound, is_new] = known.try_emplace({view.run.platform.nodes[n], tasks[n]}, 0);
    if (is_new) {
      std::vector<WorkerClass> classes;
      add_workers(view, NodeId{n}, classes);
      bound->second = area_bound_s(tasks[n], classes);
    }
    out[fmt::format("/bounds/abe_per_node_s/{}", n)] = rounded(view, bound->second, tasks[n]);
  }
  out["/bounds/abe_s"] = rounded(view, area_bound_s(total, all), total);
}

}  // namespace factosim::audit
