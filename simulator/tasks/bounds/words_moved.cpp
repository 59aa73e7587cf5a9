#include "simulator/tasks/bounds/words_moved.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace factosim {

namespace {

/// Returns the number of updates of each node, [nodes]; those of the diagonal of a symmetric matrix do not count.
std::vector<double> updates_of(TaskGraph const& graph, ExecutionPlan const& plan,
                               FactorizationKernels const& known) {
  std::vector<bool> is_update(graph.kernels.size(), false);
  for (std::size_t i = 0; i < known.kernels.size(); ++i)
    for (std::size_t k = 0; k < graph.kernels.size(); ++k)
      if (known.kinds[i] == TaskKind::update && graph.kernels[k].name == known.kernels[i].name)
        is_update[k] = true;
  std::vector<double> out(plan.first_task.size() - 1, 0);
  for (std::size_t node = 0; node < out.size(); ++node)
    for (std::uint32_t t = plan.first_task[node]; t < plan.first_task[node + 1]; ++t)
      if (is_update[graph.kernel[t]]) ++out[node];
  return out;
}

}  // namespace

std::vector<NodeWords> words_moved(TaskGraph const& graph, ExecutionPlan const& plan, Application const& app,
                                   ApplicationParameters const& p) {
  std::vector<NodeWords> out(plan.first_task.size() - 1);
  double const element = element_bytes(p.precision);
  auto const words = [&](HandleId handle) {
    return static_cast<double>(graph.handles[handle.index()].size.value) / element;
  };
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t first) {
    TaskId const reader = graph.successors[first];
    double const moved = words(graph.given_to(task, reader));
    out[plan.node_of(task).index()].sent += moved;
    out[plan.node_of(reader).index()].received += moved;
  });
  std::vector<NodeId> const keepers = last_owners(graph, plan);
  for (std::size_t h = 0; h < keepers.size(); ++h) {
    if (!keepers[h].valid()) continue;
    NodeWords& node = out[keepers[h].index()];
    (graph.handles[h].data == DataKind::accumulator ? node.sums : node.tiles) += words(HandleId{h});
  }
  if (!app.is_product && !app.is_plain_factorization) return out;
  auto const updates = updates_of(graph, plan, app.factorization_kernels(p));
  double const roles = app.is_product ? 1 : 2;  // of a tile that the node keeps
  for (std::size_t node = 0; node < out.size(); ++node) {
    double const v = updates[node] * std::pow(p.nb, 3);
    double const used = 3 * std::cbrt(app.lower_only ? v * v / 2 : v * v);
    double const memory = out[node].tiles + out[node].sums;
    out[node].least = std::max(0.0, used - roles * out[node].tiles);
    if (memory > 0) out[node].least_in_memory = std::max(0.0, v / (2 * std::sqrt(2 * memory)) - memory);
  }
  return out;
}

}  // namespace factosim
