#include "simulator/tasks/bounds/node_area_bounds.hpp"

#include <algorithm>

namespace factosim {

namespace {

std::vector<double> sum_over_nodes(std::vector<std::vector<double>> const& work) {
  std::vector<double> total(work.front().size(), 0);
  for (auto const& node : work)
    for (std::size_t k = 0; k < node.size(); ++k) total[k] += node[k];
  return total;
}

}  // namespace

std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes) {
  std::vector<WorkerClass> classes;
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    if (type.shares_gpu(w)) continue;
    std::vector<double> durations;
    for (std::size_t k = 0; k < kernels; ++k) durations.push_back(type.device_time(k, w));
    auto const alike = std::find_if(classes.begin(), classes.end(),
                                    [&](WorkerClass const& c) { return c.durations == durations; });
    if (alike != classes.end())
      alike->count += nodes;
    else
      classes.push_back({nodes, std::move(durations)});
  }
  return classes;
}

std::vector<WorkerClass> worker_classes(Machine const& machine, std::size_t kernels,
                                        std::span<std::uint32_t const> nodes) {
  std::vector<WorkerClass> classes;
  for (std::size_t t = 0; t < machine.types.size(); ++t) {
    if (nodes[t] == 0) continue;
    auto const of_type = worker_classes(machine.types[t], kernels, nodes[t]);
    classes.insert(classes.end(), of_type.begin(), of_type.end());
  }
  return classes;
}

NodeAreaBounds::NodeAreaBounds(std::vector<std::vector<double>> const& work, Machine const& machine) {
  for (std::size_t n = 0; n < work.size(); ++n) {
    auto const [place, is_new] = known_.try_emplace({machine.type_of[n], work[n]});
    if (is_new)
      place->second =
          area_bound(std::span(work[n]), worker_classes(machine.type(NodeId{n}), work[n].size(), 1));
    of_node_.push_back(&place->second);
  }
  std::vector<double> const all = sum_over_nodes(work);
  of_all_ = area_bound(std::span(all), worker_classes(machine, all.size(), nodes_by_type(machine)));
}

std::vector<std::uint32_t> nodes_by_type(Machine const& machine) {
  std::vector<std::uint32_t> nodes(machine.types.size(), 0);
  for (std::uint32_t const type : machine.type_of) ++nodes[type];
  return nodes;
}

}  // namespace factosim
