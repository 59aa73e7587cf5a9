#include "simulator/tasks/bounds/iteration_bounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

/// Splits the tasks of each kind among the kernels of that kind: trsm_ll and trsm_ru take half each.
/// [kernels]
std::vector<std::uint64_t> by_kernel(KindCounts const& counts, std::span<TaskKind const> kinds) {
  std::vector<std::uint64_t> tasks(kinds.size(), 0);
  for (std::size_t kind = 0; kind < task_kinds; ++kind) {
    std::uint64_t left = counts[kind];
    auto kernels = static_cast<std::uint64_t>(std::count(kinds.begin(), kinds.end(), TaskKind(kind)));
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (kinds[k] == TaskKind(kind)) {
        tasks[k] = left / kernels--;
        left -= tasks[k];
      }
  }
  return tasks;
}

/// Computes area bounds of nodes. Remembers them by node type and tasks, which repeat between nodes and
/// iterations.
class AreaBounds {
 public:
  AreaBounds(Machine const& machine, std::span<TaskKind const> kinds) : machine_(machine), kinds_(kinds) {}

  double of_node(std::size_t node, KindCounts const& counts) {
    std::uint32_t const type = machine_.type_of[node];
    auto const [place, is_new] = known_.try_emplace({type, counts});
    if (is_new) place->second = bound(counts, worker_classes(machine_.types[type], kinds_.size(), 1));
    return place->second;
  }

  double of_nodes(std::vector<std::size_t> const& nodes, KindCounts const& counts) {
    std::vector<std::uint32_t> by_type(machine_.types.size(), 0);
    for (std::size_t const node : nodes) ++by_type[machine_.type_of[node]];
    return bound(counts, worker_classes(machine_, kinds_.size(), by_type));
  }

 private:
  double bound(KindCounts const& counts, std::vector<WorkerClass> const& classes) const {
    return area_bound(by_kernel(counts, kinds_), classes).makespan.value;
  }

  Machine const& machine_;
  std::span<TaskKind const> kinds_;
  std::map<std::pair<std::uint32_t, KindCounts>, double> known_;
};

bool has_tasks(KindCounts const& counts) {
  return std::any_of(counts.begin(), counts.end(), [](std::uint64_t c) { return c > 0; });
}

}  // namespace

std::vector<std::vector<double>> IterationBounds::cumulated() const {
  std::vector<std::vector<double>> out = abe_per_node;
  for (auto& of_node : out) std::partial_sum(of_node.begin(), of_node.end(), of_node.begin());
  return out;
}

std::vector<double> IterationBounds::in_section(Section const& section) const {
  std::vector<double> out;
  for (auto const& of_node : abe_per_node)
    out.push_back(
        std::accumulate(of_node.begin() + section.last_k - 1, of_node.begin() + section.first_k, 0.0));
  return out;
}

IterationBounds iteration_bounds(TileMap const& map, Factorization factorization, Machine const& machine,
                                 std::span<TaskKind const> kinds, FactorizationCosts const& costs) {
  std::size_t const nodes = machine.node_count();
  auto const tasks = tasks_by_iteration(map, factorization, nodes);
  FactorizationCosts const without_transfers{.nodes = costs.nodes, .transfer = 0};
  AreaBounds areas(machine, kinds);
  IterationBounds out;
  out.abe_per_node.resize(nodes);
  for (std::size_t k = 0; k < static_cast<std::size_t>(map.nt); ++k) {
    KindCounts all{};
    std::vector<std::size_t> active;
    double maximum = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      KindCounts const& counts = tasks[node][k];
      for (std::size_t kind = 0; kind < task_kinds; ++kind) all[kind] += counts[kind];
      if (has_tasks(counts)) active.push_back(node);
      out.abe_per_node[node].push_back(has_tasks(counts) ? areas.of_node(node, counts) : 0);
      maximum = std::max(maximum, out.abe_per_node[node].back());
    }
    out.abe.push_back(maximum);
    out.abe_star.push_back(areas.of_nodes(active, all));
    std::vector<std::uint32_t> const ids(active.begin(), active.end());
    out.critical_path.push_back(iteration_critical_path(factorization, without_transfers, ids));
    out.critical_path_with_comm.push_back(iteration_critical_path(factorization, costs, ids));
  }
  return out;
}

nlohmann::ordered_json iteration_bounds_json(IterationBounds const& b, std::span<Section const> sections) {
  nlohmann::ordered_json out = {{"iterations",
                                 {{"abe_s", b.abe},
                                  {"abe_star_s", b.abe_star},
                                  {"cpb_s", b.critical_path},
                                  {"cpb_with_comm_s", b.critical_path_with_comm},
                                  {"abe_per_node_s", b.abe_per_node},
                                  {"cabe_per_node_s", b.cumulated()}}}};
  for (Section const& s : sections)
    out["sections"].push_back({{"first_k", s.first_k},
                               {"last_k", s.last_k},
                               {"nodes", s.nodes},
                               {"sabe_per_node_s", b.in_section(s)}});
  return out;
}

}  // namespace factosim
