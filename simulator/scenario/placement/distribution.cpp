#include "simulator/scenario/placement/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "distributions/block_cyclic.hpp"
#include "distributions/column_partition.hpp"
#include "distributions/constrained.hpp"
#include "distributions/generalised_2dbc.hpp"
#include "distributions/kalinov_lastovetsky.hpp"
#include "distributions/layered.hpp"
#include "distributions/nagamochi_abe.hpp"
#include "distributions/one_by_one.hpp"
#include "distributions/redistribution.hpp"
#include "distributions/selected_map.hpp"
#include "factosim/error.hpp"
#include "factosim/graph_simulation.hpp"

namespace factosim {

namespace {

PartitionDetails cut(SquarePartition partition, std::vector<double> const& speeds) {
  return {.partition = std::move(partition), .lower_bound = partition_lower_bound(speeds)};
}

/// Lets groups without a GPU on their node take no part in the factorization.
void leave_to_gpu_nodes(PhaseGroups& groups) {
  auto const has_gpu = [&](std::uint32_t type) {
    return std::any_of(groups.groups.begin(), groups.groups.end(),
                       [&](PhaseGroup const& g) { return g.node_type == type && g.gpu; });
  };
  for (PhaseGroup& group : groups.groups)
    if (!has_gpu(group.node_type))
      std::fill(group.seconds.begin() + 1, group.seconds.end(), std::numeric_limits<double>::infinity());
}

Distribution made(LocatedMethod const& method, DistributionRequest const& request);

/// Returns "2 layers: block-cyclic 2 x 3", or all descriptions if they differ.
std::string description_of(std::vector<LayerOfNodes> const& layers) {
  std::string out;
  for (LayerOfNodes const& layer : layers)
    if (std::string const& text = layer.distribution.description;
        out.empty() || text != layers.front().distribution.description)
      out += (out.empty() ? "" : ", ") + text;
  return fmt::format("{} {}: {}", layers.size(), layers.size() == 1 ? "layer" : "layers", out);
}

/// Makes the distribution that a method describes.
class DistributionMaker {
 public:
  DistributionMaker(std::string const& where, DistributionRequest const& request)
      : where_(where), request_(request) {}

  [[nodiscard]] Distribution operator()(BlockCyclic const& d) const {
    return {.map = block_cyclic(request_.nt, request_.nt, d.grid),
            .description = fmt::format("block-cyclic {} x {}", d.grid.p, d.grid.q)};
  }

  [[nodiscard]] Distribution operator()(OneByOne const& d) const {
    std::vector<double> const values = speeds(d.speeds);
    PartitionDetails details =
        cut(d.nagamochi_abe ? nagamochi_abe(values) : column_partition(values), values);
    TileMap map = one_by_one(request_.nt, request_.nt, details.partition, d.tie);
    return {.map = std::move(map),
            .description = d.nagamochi_abe ? "1Dx1D of Nagamochi and Abe" : "1Dx1D",
            .details = std::move(details)};
  }

  [[nodiscard]] Distribution operator()(ConstrainedOneByOne const& d) const {
    std::vector<double> const values = speeds(d.speeds);
    FactorizationCosts const node_costs = costs(d.costs);
    PartitionDetails details = cut(column_partition(values), values);
    ConstrainedMap made =
        constrained(request_.nt, request_.factorization, details.partition, node_costs, d.tie);
    details.sections = std::move(made.sections);
    if (d.shuffle)
      details.moves = shuffle(made.map, request_.factorization, node_costs, details.sections, *d.shuffle);
    return {.map = std::move(made.map),
            .description = d.shuffle ? "1Dx1D-C+S" : "1Dx1D-C",
            .details = std::move(details)};
  }

  [[nodiscard]] Distribution operator()(SelectedOneByOne const& d) const {
    return {.map = selected_map(request_.nt, request_.factorization, costs(d.costs), judge(), d.simulations).map,
            .description = "1Dx1D-L"};
  }

  [[nodiscard]] Distribution operator()(HeterogeneousGrid const& d) const {
    std::vector<double> times;
    if (d.cycle_times)
      times = *d.cycle_times;
    else
      for (double const speed : speeds({})) times.push_back(1 / speed);
    GridDetails details{.grid = d.method->arrange(times, d.grid), .panel = {}};
    details.panel = grid_panel(details.grid, d.panel, d.order);
    TileMap map = het_grid(request_.nt, request_.nt, details.grid, details.panel);
    return {.map = std::move(map),
            .description = fmt::format("heterogeneous grid {} x {} ({})", d.grid.p, d.grid.q, d.method->name),
            .details = std::move(details)};
  }

  [[nodiscard]] Distribution operator()(KalinovLastovetsky const& d) const {
    return {.map = kalinov_lastovetsky(request_.nt, request_.nt, d.grid, speeds(d.speeds), d.panel),
            .description = fmt::format("Kalinov-Lastovetsky {} x {}", d.grid.p, d.grid.q)};
  }

  [[nodiscard]] Distribution operator()(SymmetricBlockCyclic const& d) const {
    return {.map = symmetric_block_cyclic(request_.nt, d.r, d.variant),
            .description = fmt::format("symmetric block-cyclic, {}, r = {}",
                                       d.variant == SbcVariant::basic ? "basic" : "extended", d.r)};
  }

  [[nodiscard]] Distribution operator()(GeneralisedBlockCyclic const& /*d*/) const {
    return {.map = generalised_2dbc(request_.nt, request_.nt, request_.nodes),
            .description = fmt::format("generalised block-cyclic of {} nodes", request_.nodes)};
  }

  [[nodiscard]] Distribution operator()(TriangleBlocks const& d) const {
    return {.map = triangle_blocks(request_.nt, d.plane),
            .description = fmt::format("triangle blocks, {} plane of order {}",
                                       d.plane.projective ? "projective" : "affine", d.plane.order)};
  }

  [[nodiscard]] Distribution operator()(Layered const& d) const {
    LayerDetails details{
        .layers = {}, .consecutive = d.consecutive, .addition_bandwidth = d.addition_bandwidth};
    std::vector<TileMap> maps;
    std::vector<double> shares;
    for (LayerMethod const& layer : d.layers) {
      DistributionRequest request = request_;
      request.nodes = static_cast<int>(layer.nodes.size());
      request.among = layer.nodes;
      details.layers.push_back({.nodes = layer.nodes, .distribution = made(layer.method, request)});
      LayerOfNodes& out = details.layers.back();
      out.share = d.shares         ? (*d.shares)[maps.size()]
                  : request_.timed ? DistributionMaker(where_, request).total_speed()
                                   : 1;
      shares.push_back(out.share);
      maps.push_back(out.distribution.map);
      for (NodeId& owner : maps.back().owner)
        if (owner.valid()) owner = NodeId{layer.nodes[owner.index()]};
    }
    std::string description = description_of(details.layers);
    return {.map = layered(std::move(maps), shares, d.consecutive, d.panels),
            .description = std::move(description),
            .layers = std::make_shared<LayerDetails const>(std::move(details))};
  }

  [[nodiscard]] Distribution operator()(MapFromFile const& d) const {
    return {.map = d.map, .description = fmt::format("map {}", d.file)};
  }

  [[nodiscard]] Distribution operator()(PluginDistribution const& d) const {
    PluginMatrix matrix{.mt = request_.nt,
                        .nt = request_.nt,
                        .lower_only = request_.factorization == Factorization::cholesky,
                        .nodes = request_.nodes};
    if (request_.timed)
      for (NodeCosts const& node : costs_of_nodes().nodes)
        matrix.speeds.push_back(1 / node.area_of(TaskKind::update));  // 0 without a timing
    return {.map = map_of_plugin(d, matrix),
            .description = fmt::format("{} ({})", d.plugin->file().name, d.plugin->checksum())};
  }

  /// With generation: tiles are generated as the target says, and factorized where they came from.
  [[nodiscard]] Distribution operator()(Redistribution const& d) const {
    Distribution out{.map = redistribute(d.from, d.target), .description = "redistributed"};
    out.redistributed = moved_tiles(d.from, out.map);
    if (request_.has_generation) out.generation = std::exchange(out.map, d.from);
    return out;
  }

  [[nodiscard]] Distribution operator()(LinearProgram const& d) const {
    PhaseGroups groups = phase_groups(*request_.timed);
    if (d.gpu_nodes_only) {
      if (std::none_of(groups.groups.begin(), groups.groups.end(), [](auto const& g) { return g.gpu; }))
        throw InputError(*d.gpu_nodes_only, "leaves no node to factorize (no node has a GPU). Use \"all\"");
      leave_to_gpu_nodes(groups);
    }
    PhaseDetails details{.partition = {},
                         .loads = phase_loads(request_.timed->application.phase_steps(request_.nt), groups)};
    Distribution out{.map = map_by_work(details.loads.factorization, d.tie, details.partition),
                     .description = d.gpu_nodes_only
                                        ? "linear program of two phases, factorization on nodes with GPUs"
                                        : "linear program of two phases"};
    auto const nt = static_cast<std::uint64_t>(request_.nt);
    out.generation = redistribute(out.map, whole_shares(nt * (nt + 1) / 2, details.loads.generation));
    out.details = std::move(details);
    return out;
  }

 private:
  /// Judges maps of the nodes that the map is for.
  [[nodiscard]] Judge judge() const {
    if (!request_.judge || request_.among.empty()) return request_.judge;
    return [this](TileMap map) {
      for (NodeId& owner : map.owner) owner = NodeId{request_.among[owner.index()]};
      return request_.judge(map);
    };
  }

  /// Returns the sum of the speeds of the nodes.
  [[nodiscard]] double total_speed() const {
    std::vector<double> const values = speeds({});
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// The costs of the nodes that the map is for.
  [[nodiscard]] FactorizationCosts costs_of_nodes() const {
    FactorizationCosts costs = costs_of(*request_.timed);
    if (request_.among.empty()) return costs;
    std::vector<NodeCosts> const all = std::exchange(costs.nodes, {});
    for (std::uint32_t const node : request_.among) costs.nodes.push_back(all[node]);
    return costs;
  }

  /// The costs by the kernels' timings. Throws InputError if a node has no timing of some kernel.
  [[nodiscard]] FactorizationCosts costs_by_timings() const {
    FactorizationCosts costs = costs_of_nodes();
    for (std::size_t n = 0; n < costs.nodes.size(); ++n)
      for (double const area : costs.nodes[n].area)
        if (std::isinf(area))
          throw InputError(
              where_,
              fmt::format("needs the rate of node {} (it has no timing of some kernel for these tiles and "
                          "this precision). Use other tiles, or a distribution that asks for no rates",
                          request_.among.empty() ? n : request_.among[n]));
    return costs;
  }

  /// Nodes of one worker each with these rates on every task.
  [[nodiscard]] FactorizationCosts costs_by_rates(std::vector<double> const& rates) const {
    double const update = request_.update_flops.value;
    double const diagonal = update / (request_.factorization == Factorization::lu ? 3 : 6);
    std::array<double, task_kinds> const flops{diagonal, update / 2, update / 2, update};
    FactorizationCosts costs;
    for (double const rate : rates) {
      NodeCosts& node = costs.nodes.emplace_back();
      for (std::size_t kind = 0; kind < task_kinds; ++kind)
        node.area[kind] = node.alone[kind] = flops[kind] / rate;
    }
    return costs;
  }

  /// The kernels' timings, scaled to the given rates.
  [[nodiscard]] FactorizationCosts costs(GivenCosts const& given) const {
    FactorizationCosts costs = request_.timed ? costs_by_timings() : costs_by_rates(*given.rates);
    for (std::size_t n = 0; given.rates && n < given.rates->size(); ++n) {
      double const area = request_.update_flops.value / (*given.rates)[n];
      double const scale = area / costs.nodes[n].area_of(TaskKind::update);
      for (double& of_kind : costs.nodes[n].area) of_kind *= scale;
    }
    if (given.transfer) {
      costs.transfer = *given.transfer;
      for (NodeCosts& node : costs.nodes) node.message = *given.transfer;
    }
    return costs;
  }

  [[nodiscard]] std::vector<double> speeds(GivenSpeeds const& given) const {
    if (given) return *given;
    std::vector<double> out;
    for (NodeCosts const& node : costs_by_timings().nodes) out.push_back(1 / node.area_of(TaskKind::update));
    return out;
  }

  /// 1D-1D among the nodes with work; the others own nothing.
  [[nodiscard]] TileMap map_by_work(std::vector<double> const& work, TieRule tie,
                                    PartitionDetails& details) const {
    std::vector<std::uint32_t> nodes;
    std::vector<double> values;
    for (std::uint32_t p = 0; p < work.size(); ++p) {
      if (work[p] <= 0) continue;
      nodes.push_back(p);
      values.push_back(work[p]);
    }
    details = cut(column_partition(values), values);
    TileMap map = one_by_one(request_.nt, request_.nt, details.partition, tie);
    for (NodeId& owner : map.owner) owner = NodeId{nodes[owner.index()]};
    for (auto& column : details.partition.columns)
      for (std::uint32_t& node : column) node = nodes[node];
    std::vector<SquarePartition::Rectangle> rectangles(work.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) rectangles[nodes[i]] = details.partition.rectangles[i];
    details.partition.rectangles = std::move(rectangles);
    return map;
  }

  std::string const& where_;
  DistributionRequest const& request_;
};

Distribution made(LocatedMethod const& method, DistributionRequest const& request) {
  return std::visit(DistributionMaker(method.where, request), method.method);
}

TileMap generation_map(GenerationMethod const& method, TileMap const& main, DistributionRequest request) {
  if (auto const* const target = std::get_if<std::vector<std::uint64_t>>(&method))
    return redistribute(main, *target);
  request.has_generation = false;
  return made(std::get<LocatedMethod>(method), request).map;
}

}  // namespace

PartitionDetails const* Distribution::partition() const {
  if (auto const* const phases = std::get_if<PhaseDetails>(&details)) return &phases->partition;
  return std::get_if<PartitionDetails>(&details);
}

PhaseLoads const* Distribution::loads() const {
  auto const* const phases = std::get_if<PhaseDetails>(&details);
  return phases == nullptr ? nullptr : &phases->loads;
}

Distribution make_distribution(DistributionDescription const& description,
                               DistributionRequest const& request) {
  Distribution out = made(description.main, request);
  if (description.generation) out.generation = generation_map(*description.generation, out.map, request);
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
