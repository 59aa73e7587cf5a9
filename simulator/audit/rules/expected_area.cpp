#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "simulator/audit/rules/area_program.hpp"
#include "simulator/audit/rules/expected_result.hpp"

namespace factosim::audit {

namespace {

void add_workers(RunView const& view, NodeId node, std::vector<AreaClass>& classes) {
  std::size_t const kernels = view.run.graph.kernels.size();
  for (std::size_t w = 0; w < view.machine.workers(node).size(); ++w) {
    if (view.machine.workers(node)[w].further) continue;
    AreaClass one{.count = 1, .durations = {}};
    for (std::size_t k = 0; k < kernels; ++k)
      one.durations.push_back(view.machine.on(node, k, w).least_s * view.machine.on(node, k, w).part);
    auto const alike = std::ranges::find(classes, one.durations, &AreaClass::durations);
    if (alike != classes.end())
      ++alike->count;
    else
      classes.push_back(std::move(one));
  }
}

/// The bound in the result, from durations in whole ticks.
ExpectedValue rounded(RunView const& view, AreaInterval bound, std::vector<double> const& tasks) {
  double const ticks = view.tick_s * std::accumulate(tasks.begin(), tasks.end(), 1.0);
  return {.value = bound.low * (1 - sum_round_off) - ticks,
          .upper = bound.high * (1 + sum_round_off) + ticks,
          .range = true};
}

}  // namespace

void expect_area_bounds(RunView const& view, ExpectedResult& out) {
  if (!view.run.graph.weights.empty()) return;  // the program below divides equal tasks
  std::size_t const nodes = view.run.platform.nodes.size(), kernels = view.run.graph.kernels.size();
  std::vector<std::vector<double>> tasks(nodes, std::vector<double>(kernels, 0));
  std::vector<double> total(kernels, 0);
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.home[t].valid()) continue;
    ++tasks[view.home[t].index()][view.run.graph.kernel[t]];
    ++total[view.run.graph.kernel[t]];
  }
  std::map<std::pair<std::uint32_t, std::vector<double>>, AreaInterval> known;  // by type and tasks
  std::vector<AreaClass> all;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_workers(view, NodeId{n}, all);
    auto const [bound, is_new] = known.try_emplace({view.run.platform.nodes[n], tasks[n]}, AreaInterval{});
    if (is_new) {
      std::vector<AreaClass> classes;
      add_workers(view, NodeId{n}, classes);
      bound->second = least_time(tasks[n], classes);
    }
    out[fmt::format("/bounds/abe_per_node_s/{}", n)] = rounded(view, bound->second, tasks[n]);
  }
  out["/bounds/abe_s"] = rounded(view, least_time(total, all), total);
}

}  // namespace factosim::audit
