#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distributions/constrained.hpp"
#include "distributions/square_partition.hpp"
#include "distributions/tiles_sent.hpp"
#include "factosim/error.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

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

/// 1D-1D among the nodes with work; the others own nothing.
TileMap map_by_work(int nt, std::vector<double> const& work, TieRule tie, PartitionDetails& details) {
  std::vector<std::uint32_t> nodes;
  std::vector<double> values;
  for (std::uint32_t p = 0; p < work.size(); ++p) {
    if (work[p] <= 0) continue;
    nodes.push_back(p);
    values.push_back(work[p]);
  }
  details = cut_by(values, column_partition(values));
  TileMap map = one_by_one(nt, nt, details.partition, tie);
  for (NodeId& owner : map.owner) owner = NodeId{nodes[owner.index()]};
  for (auto& column : details.partition.columns)
    for (std::uint32_t& node : column) node = nodes[node];
  std::vector<SquarePartition::Rectangle> rectangles(work.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) rectangles[nodes[i]] = details.partition.rectangles[i];
  details.partition.rectangles = std::move(rectangles);
  return map;
}

/// Throws InputError at `where` if no group can run some kernel of the phases.
void check_runnable(PhaseGroups const& groups, TimedApplication const& timed, std::string const& where) {
  auto const kernels = timed.application.kernels(timed.parameters);
  for (std::size_t k = 0; k < groups.flops.size(); ++k)
    if (std::ranges::all_of(groups.groups, [&](PhaseGroup const& g) { return std::isinf(g.seconds[k]); }))
      throw InputError(
          where,
          fmt::format("needs a duration of {} (no node of the platform has a {} precision timing of it for "
                      "tiles of {}, and nothing is extrapolated). Choose another platform or application, or "
                      "import timings",
                      kernels[k].name, name_of(timed.parameters.precision), timed.parameters.nb));
}

/// The linear program of an application's two phases; `where`: the location of its description. `gpu_nodes_only`: only nodes
/// with GPUs factorize; the location of that key.
Distribution make_by_linear_program(DistributionRequest const& request, std::string const& where,
                                    std::optional<std::string> const& gpu_nodes_only, TieRule tie) {
  PhaseGroups groups = phase_groups(*request.timed);
  check_runnable(groups, *request.timed, where);
  if (gpu_nodes_only) {
    if (std::none_of(groups.groups.begin(), groups.groups.end(), [](auto const& g) { return g.gpu; }))
      throw InputError(*gpu_nodes_only, "leaves no node to factorize (no node has a GPU). Use \"all\"");
    leave_to_gpu_nodes(groups);
  }
  PhaseLoads loads = phase_loads(request.timed->application.phase_steps(request.nt), groups);
  PartitionDetails partition;
  Distribution out{.map = map_by_work(request.nt, loads.factorization, tie, partition),
                   .description = gpu_nodes_only
                                      ? "linear program of two phases, factorization on nodes with GPUs"
                                      : "linear program of two phases"};
  auto const nt = static_cast<std::uint64_t>(request.nt);
  out.generation = redistribute(out.map, whole_shares(nt * (nt + 1) / 2, loads.generation));
  out.partition = std::move(partition);
  out.loads = std::move(loads);
  return out;
}

DistributionMethod read_linear_program(JsonReader const& json, DistributionContext const& context) {
  if (!context.has_generation || !context.has_timings)
    json.fail(
        "needs an application with a generation, and a platform (the linear program balances its two phases "
        "over the workers). Use the application exageostat, or another distribution");
  auto const nodes = json.find("factorization");
  std::optional<std::string> gpu_nodes_only;
  if (nodes && nodes->one_of() == "gpu-nodes") gpu_nodes_only = nodes->where();
  return {
      .map =
          [gpu_nodes_only, where = json.where(), tie = read_tie(json)](DistributionRequest const& request) {
            return make_by_linear_program(request, where, gpu_nodes_only, tie);
          },
      .decides_generation = true};
}

}  // namespace

DistributionKind linear_program_kind() {
  return {.name = "lp-multiphase",
          .description = "shares of generation and factorization by a linear program",
          .meaning =
              "`exageostat`: loads of both phases by linear program, factorization 1Dx1D, generation by "
              "Algorithm 2.",
          .keys = {stated_key("factorization", {rule::word({"all", "gpu-nodes"})},
                              "nodes of the factorization", {.default_value = "all"}),
                   tie_key()},
          .read = read_linear_program,
          .source = "ICPP 2021, section 4.3"};
}

}  // namespace factosim
