#include "distributions/factorization_work.hpp"

#include <algorithm>

namespace factosim {

namespace {

std::vector<std::vector<KindCounts>> tasks_on_layers(TileMap const& map, Factorization factorization,
                                                     std::size_t nodes) {
  std::vector<std::vector<KindCounts>> counts(nodes,
                                              std::vector<KindCounts>(static_cast<std::size_t>(map.nt)));
  for (int k = 0; k < map.nt; ++k)
    for (int m = k; m < map.mt; ++m)
      for (int n = k; n < (factorization == Factorization::cholesky ? m + 1 : map.nt); ++n)
        ++counts[map.in_iteration(k, m, n).index()][static_cast<std::size_t>(k)]
                [static_cast<std::size_t>(task_kind(factorization, k, m, n))];
  return counts;
}

}  // namespace

std::vector<double> update_times(FactorizationCosts const& costs) {
  std::vector<double> times;
  times.reserve(costs.nodes.size());
  for (NodeCosts const& node : costs.nodes) times.push_back(node.area_of(TaskKind::update));
  return times;
}

std::vector<std::vector<KindCounts>> tasks_by_iteration(TileMap const& map, Factorization factorization,
                                                        std::size_t nodes) {
  if (map.has_layers()) return tasks_on_layers(map, factorization, nodes);
  auto const iterations = static_cast<std::size_t>(map.nt);
  std::vector<std::vector<KindCounts>> counts(nodes, std::vector<KindCounts>(iterations));
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < (factorization == Factorization::cholesky ? m + 1 : map.nt); ++n) {
      auto& of_node = counts[map.at(m, n).index()];
      auto const last = static_cast<std::size_t>(std::min(m, n));
      auto const kind = [&](int k) { return static_cast<std::size_t>(task_kind(factorization, k, m, n)); };
      ++of_node[last][kind(static_cast<int>(last))];
      // the tile is also updated in all earlier iterations
      if (last > 0) ++of_node[last - 1][kind(static_cast<int>(last) - 1)];
    }
  for (auto& of_node : counts)
    for (std::size_t k = iterations - 1; k-- > 0;)
      for (TaskKind const kind : {TaskKind::symmetric_update, TaskKind::update})
        of_node[k][static_cast<std::size_t>(kind)] += of_node[k + 1][static_cast<std::size_t>(kind)];
  return counts;
}

std::vector<std::vector<double>> iteration_loads(TileMap const& map, Factorization factorization,
                                                 FactorizationCosts const& costs) {
  std::vector<std::vector<double>> loads;
  for (auto const& of_node : tasks_by_iteration(map, factorization, costs.nodes.size())) {
    NodeCosts const& node = costs.nodes[loads.size()];
    auto& load = loads.emplace_back();
    for (KindCounts const& counts : of_node) {
      double sum = 0;
      for (std::size_t kind = 0; kind < task_kinds; ++kind)
        if (counts[kind] > 0) sum += static_cast<double>(counts[kind]) * node.area[kind];
      load.push_back(sum);
    }
  }
  return loads;
}

}  // namespace factosim
