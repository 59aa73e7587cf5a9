#include "simulator/scenario/multiphase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "distributions/column_partition.hpp"
#include "distributions/one_by_one.hpp"
#include "distributions/redistribution.hpp"
#include "simulator/bounds/bounds.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

namespace {

/// 1D-1D among the nodes with work, the others own nothing.
Distribution one_by_one_of(int nt, std::vector<double> const& work, TieRule tie) {
  std::vector<std::uint32_t> nodes;
  std::vector<double> speeds;
  for (std::uint32_t p = 0; p < work.size(); ++p) {
    if (work[p] <= 0) continue;
    nodes.push_back(p);
    speeds.push_back(work[p]);
  }
  Distribution out;
  out.partition = column_partition(speeds);
  out.partition_lower_bound = partition_lower_bound(speeds);
  out.map = one_by_one(nt, nt, *out.partition, tie);
  for (NodeId& owner : out.map.owner) owner = NodeId{nodes[owner.index()]};
  for (auto& column : out.partition->columns)
    for (std::uint32_t& node : column) node = nodes[node];
  std::vector<SquarePartition::Rectangle> rectangles(work.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) rectangles[nodes[i]] = out.partition->rectangles[i];
  out.partition->rectangles = std::move(rectangles);
  return out;
}

/// Groups without a GPU on their node leave the factorization to the others.
void leave_to_gpu_nodes(PhaseGroups& groups) {
  auto const has_gpu = [&](std::uint32_t type) {
    return std::any_of(groups.groups.begin(), groups.groups.end(),
                       [&](PhaseGroup const& g) { return g.node_type == type && g.gpu; });
  };
  for (PhaseGroup& group : groups.groups)
    if (!has_gpu(group.node_type))
      std::fill(group.seconds.begin() + 1, group.seconds.end(), std::numeric_limits<double>::infinity());
}

void set_generation(Distribution& d, TileMap generation) {
  d.redistributed = moved_tiles(d.map, generation);
  d.generation = std::move(generation);
}

std::vector<std::uint64_t> read_target(JsonReader const& json, int nt, int nodes) {
  std::vector<std::uint64_t> target;
  for (JsonReader const& count : json.elements())
    target.push_back(static_cast<std::uint64_t>(count.integer(0, std::int64_t{nt} * nt)));
  if (target.size() != static_cast<std::size_t>(nodes))
    json.fail(fmt::format("has {} numbers (there are {} nodes). Give one a node", target.size(), nodes));
  auto const tiles = static_cast<std::uint64_t>(nt) * (static_cast<std::uint64_t>(nt) + 1) / 2;
  auto const sum = std::accumulate(target.begin(), target.end(), std::uint64_t{0});
  if (sum != tiles)
    json.fail(fmt::format("sums up to {} (the lower triangle has {} tiles). Give as many", sum, tiles));
  return target;
}

TileMap read_owners(JsonReader const& json, int nt, int nodes) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  auto const rows = json.elements();
  if (rows.size() != static_cast<std::size_t>(nt))
    json.fail(fmt::format("has {} rows (the matrix has {}). Give [nt][nt] node numbers", rows.size(), nt));
  for (std::size_t m = 0; m < rows.size(); ++m) {
    auto const row = rows[m].elements();
    if (row.size() != rows.size())
      rows[m].fail(
          fmt::format("has {} numbers (the matrix has {} columns). Give one a tile", row.size(), nt));
    for (std::size_t n = 0; n < row.size(); ++n) {  // above the diagonal nothing is stored
      auto const node = row[n].integer(n > m ? -1 : 0, nodes - 1);
      map.owner.push_back(node < 0 ? NodeId{} : NodeId{node});
    }
  }
  return map;
}

}  // namespace

PhaseGroups phase_groups(Platform const& platform, std::span<KernelModel const> models,
                         Application const& application, ApplicationParameters const& parameters,
                         RuntimeOptions const& options) {
  auto kernels = application.kernels(parameters);
  std::size_t const phase_kernels = application.phase_steps(parameters.nt).front().size();
  kernels.resize(phase_kernels);
  Machine const machine = build_machine(platform, models, kernels,
                                        {application.name, parameters.precision, parameters.nb}, options);
  PhaseGroups out;
  out.type_of = machine.type_of;
  for (Kernel const& kernel : kernels) out.flops.push_back(kernel.flops.value);
  auto const nodes = nodes_by_type(machine);
  for (std::uint32_t t = 0; t < machine.types.size(); ++t) {
    if (nodes[t] == 0) continue;
    Machine::Type const& type = machine.types[t];
    for (WorkerClass const& c : worker_classes(type, phase_kernels, nodes[t])) {
      std::size_t w = 0;  // the first worker of the class
      auto const alike = [&] {
        for (std::size_t k = 0; k < phase_kernels; ++k)
          if (type.durations_of(k)[w] != c.durations[k]) return false;
        return true;
      };
      while (!alike()) ++w;
      PhaseGroup group{.node_type = t,
                       .name = platform.types[t].name + " " + type.worker_names[w],
                       .gpu = type.workers[w].gpu,
                       .seconds = c.durations};
      for (double& seconds : group.seconds) seconds /= c.count;
      out.groups.push_back(std::move(group));
    }
  }
  return out;
}

Distribution from_linear_program(JsonReader const& json, DistributionRequest const& request) {
  if (request.phase_steps == nullptr || !request.phase_groups)
    json.fail(
        "needs an application with a generation, and a platform (the linear program balances its two phases "
        "over "
        "the workers). Use the application exageostat, or another distribution");
  PhaseGroups groups = request.phase_groups();
  auto const nodes = json.find("factorization");
  bool const gpu_nodes = nodes && nodes->one_of({"all", "gpu-nodes"}) == "gpu-nodes";
  if (gpu_nodes) {
    if (std::none_of(groups.groups.begin(), groups.groups.end(), [](auto const& g) { return g.gpu; }))
      nodes->fail("leaves no node to factorize (no node has a GPU). Use \"all\"");
    leave_to_gpu_nodes(groups);
  }
  PhaseLoads loads = phase_loads(request.phase_steps(request.nt), groups);
  Distribution out = one_by_one_of(request.nt, loads.factorization, read_tie(json));
  out.description = gpu_nodes ? "linear program of two phases, factorization on nodes with GPUs"
                              : "linear program of two phases";
  auto const tiles =
      static_cast<std::uint64_t>(request.nt) * (static_cast<std::uint64_t>(request.nt) + 1) / 2;
  set_generation(out, redistribute(out.map, whole_shares(tiles, loads.generation)));
  out.loads = std::move(loads);
  return out;
}

Distribution from_redistribution(JsonReader const& json, DistributionRequest const& request) {
  TileMap const from = read_owners(json.at("from", "a map, [nt][nt]"), request.nt, request.nodes);
  auto const target = read_target(json.at("target", "tiles per node"), request.nt, request.nodes);
  Distribution out{.map = redistribute(from, target), .description = "redistributed"};
  out.redistributed = moved_tiles(from, out.map);
  if (request.phase_steps != nullptr) {  // generated as the target says, factorized where it came from
    out.generation = std::move(out.map);
    out.map = from;
  }
  return out;
}

void read_generation(JsonReader const& json, DistributionRequest const& request, Distribution& d) {
  auto const generation = json.find("generation");
  if (!generation) return;
  if (request.phase_steps == nullptr)
    generation->fail("is for applications that generate their tiles (this one does not). Remove it");
  if (d.generation)
    generation->fail("is decided by the distribution itself (it would be ignored). Remove it");
  if (auto const type = generation->find("type"); type && type->string() == "redistribute") {
    auto const target = read_target(generation->at("target", "tiles per node"), request.nt, request.nodes);
    generation->finish();
    return set_generation(d, redistribute(d.map, target));
  }
  DistributionRequest alone = request;
  alone.phase_steps = nullptr;
  set_generation(d, read_distribution(*generation, alone).map);
}

void add_multiphase_json(Distribution const& d, nlohmann::ordered_json& json) {
  if (d.redistributed) json["redistributed_tiles"] = *d.redistributed;
  if (!d.loads) return;
  PhaseLoads const& loads = *d.loads;
  json["lp"] = {{"objective_sum", loads.objective_sum},
                {"makespan_s", loads.makespan_s},
                {"generation_end_s", loads.generation_end_s},
                {"tiles", {{"generation", loads.generation}, {"factorization_flops", loads.factorization}}}};
}

}  // namespace factosim
