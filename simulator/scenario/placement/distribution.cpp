#include "simulator/scenario/placement/distribution.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "distributions/tiles_sent.hpp"
#include "factosim/error.hpp"
#include "factosim/graph_simulation.hpp"

namespace factosim {

namespace {

/// The costs by the kernels' timings. Throws InputError if a node has no timing of some kernel.
FactorizationCosts costs_by_timings(DistributionRequest const& request) {
  FactorizationCosts costs = timed_costs(request);
  for (std::size_t n = 0; n < costs.nodes.size(); ++n)
    for (double const area : costs.nodes[n].area)
      if (std::isinf(area))
        throw InputError(
            request.where,
            fmt::format("needs the rate of node {} (it has no timing of some kernel for these tiles and this "
                        "precision). Use other tiles, or a distribution that asks for no rates",
                        request.among.empty() ? n : request.among[n]));
  return costs;
}

/// Nodes of one worker each with these rates on every task.
FactorizationCosts costs_by_rates(DistributionRequest const& request, std::vector<double> const& rates) {
  double const update = request.update_flops.value;
  double const diagonal = update / (request.factorization == Factorization::lu ? 3 : 6);
  std::array<double, task_kinds> const flops{diagonal, update / 2, update / 2, update};
  FactorizationCosts costs;
  for (double const rate : rates) {
    NodeCosts& node = costs.nodes.emplace_back();
    for (std::size_t kind = 0; kind < task_kinds; ++kind)
      node.area[kind] = node.alone[kind] = flops[kind] / rate;
  }
  return costs;
}

}  // namespace

FactorizationCosts timed_costs(DistributionRequest const& request) {
  FactorizationCosts costs = costs_of(*request.timed);
  if (request.among.empty()) return costs;
  std::vector<NodeCosts> const all = std::exchange(costs.nodes, {});
  for (std::uint32_t const node : request.among) costs.nodes.push_back(all[node]);
  return costs;
}

FactorizationCosts costs_of_nodes(DistributionRequest const& request, GivenCosts const& given) {
  FactorizationCosts costs =
      request.timed ? costs_by_timings(request) : costs_by_rates(request, *given.rates);
  for (std::size_t n = 0; given.rates && n < given.rates->size(); ++n) {
    double const area = request.update_flops.value / (*given.rates)[n];
    double const scale = area / costs.nodes[n].area_of(TaskKind::update);
    for (double& of_kind : costs.nodes[n].area) of_kind *= scale;
  }
  if (given.transfer) {
    costs.transfer = *given.transfer;
    for (NodeCosts& node : costs.nodes) node.message = *given.transfer;
  }
  return costs;
}

std::vector<double> speeds_of_nodes(DistributionRequest const& request, GivenSpeeds const& given) {
  if (given) return *given;
  std::vector<double> out;
  for (NodeCosts const& node : costs_by_timings(request).nodes)
    out.push_back(1 / node.area_of(TaskKind::update));
  return out;
}

double total_speed(DistributionRequest const& request) {
  std::vector<double> const values = speeds_of_nodes(request, {});
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Judge judge_among(DistributionRequest const& request) {
  if (!request.judge || request.among.empty()) return request.judge;
  return [&request](TileMap map) {
    for (NodeId& owner : map.owner) owner = NodeId{request.among[owner.index()]};
    return request.judge(map);
  };
}

PartitionDetails cut_by(std::vector<double> const& speeds, SquarePartition partition) {
  return {.partition = std::move(partition), .lower_bound = partition_lower_bound(speeds)};
}

Distribution make_distribution(DistributionDescription const& description,
                               DistributionRequest const& request) {
  Distribution out = description.main.make(request);
  if (description.generation) {
    DistributionRequest of_generation = request;
    of_generation.has_generation = false;
    of_generation.factorization_map = &out.map;
    out.generation = description.generation->make(std::move(of_generation)).map;
  }
  if (out.generation) out.redistributed = moved_tiles(out.map, *out.generation);
  return out;
}

std::vector<NodeId> owners_by_map(TaskGraph const& graph, TileMap const& map) {
  std::vector<NodeId> owners;
  owners.reserve(graph.handles.size());
  for (HandleInfo const& h : graph.handles) owners.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  return owners;
}

OwnersByPlacement owners_of_handles(TaskGraph const& graph, Distribution const& distribution) {
  OwnersByPlacement out{owners_by_map(graph, distribution.map)};
  if (!graph.phases.empty()) out.push_back(owners_by_map(graph, distribution.generation_map()));
  return out;
}

}  // namespace factosim
