#include "simulator/scenario/simulation/graph_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/scenario/simulation/earliest_finish.hpp"
#include "simulator/traces/programs/cross_edges.hpp"

namespace factosim {

namespace {

void check_node(PlacedScenario const& s, TaskProgram const& program, NodeId node) {
  if (node.valid() && node.index() >= s.platform.nodes.size())
    throw InputError(
        s.file + "#/application/file",
        fmt::format(
            "names node {} in {} (the platform has {} nodes, numbered from 0). Use a larger platform, or "
            "another \"placement\"",
            node.value(), program.source, s.platform.nodes.size()));
}

/// Returns the owner of each datum by the map or by the file; invalid where neither says it.
std::vector<NodeId> stated_owners(PlacedScenario const& s, GraphApplication const& app) {
  TileMap const& map = s.distribution.map;
  std::vector<NodeId> owners;
  for (HandleInfo const& h : app.program->graph.handles) {
    NodeId owner;
    if (app.options.placement == GraphOptions::Placement::distribution) {
      if (h.m >= 0 && h.n >= 0) owner = map.at(h.m, h.n);
    } else if (app.options.placement != GraphOptions::Placement::earliest_finish) {
      owner = h.owner;
      check_node(s, *app.program, owner);
    }
    owners.push_back(owner);
  }
  return owners;
}

/// Returns the owner of the first datum that a task writes, or else of the first one that it reads; else node 0.
NodeId node_by_owners(TaskGraph const& graph, TaskId task, std::vector<NodeId> const& owners) {
  for (bool const written : {true, false})
    for (DataAccess const a : graph.accesses_of(task))
      if (writes(a.mode()) == written && owners[a.handle().index()].valid())
        return owners[a.handle().index()];
  return NodeId{0};
}

/// A datum without an owner is where it is used first.
void own_by_first_use(PlacedGraph& placed) {
  for (std::uint32_t t = 0; t < placed.graph.task_count(); ++t)
    for (DataAccess const a : placed.graph.accesses_of(TaskId{t}))
      if (NodeId& owner = placed.owners[a.handle().index()]; !owner.valid()) owner = placed.nodes[t];
  for (NodeId& owner : placed.owners)
    if (!owner.valid()) owner = NodeId{0};
}

}  // namespace

PlacedGraph place_graph(PlacedScenario const& s, GraphApplication const& app) {
  TaskProgram const& program = *app.program;
  PlacedGraph out{.graph = program.graph, .owners = {}};
  if (s.platform.nodes.size() == 1) {  // whatever the file says of nodes
    out.owners.assign(out.graph.handles.size(), NodeId{0});
    out.nodes.assign(out.graph.task_count(), NodeId{0});
    return out;
  }
  out.owners = stated_owners(s, app);
  if (app.options.placement == GraphOptions::Placement::earliest_finish)
    out.nodes = earliest_finish_nodes(
        out.graph, s, {.application = "", .precision = app.options.precision, .nb = app.options.nb});
  else
    for (std::uint32_t t = 0; t < out.graph.task_count(); ++t) {
      NodeId node;
      if (app.options.placement == GraphOptions::Placement::file) node = program.node_of_task[t];
      check_node(s, program, node);
      out.nodes.push_back(node.valid() ? node : node_by_owners(out.graph, TaskId{t}, out.owners));
    }
  own_by_first_use(out);
  out.joined = connect_nodes(out.graph, out.owners, out.nodes, program.explicit_edges);
  return out;
}

TaskProgram program_of_scenario(PlacedScenario const& s) {
  if (auto const* const app = std::get_if<GraphApplication>(&s.application)) return *app->program;
  auto const& [definition, parameters] = tiled_application(s, "the export of a graph");
  TaskProgram out{.source = s.file,
                  .format = "factosim",
                  .name = s.name.empty() ? definition->name : s.name,
                  .graph = definition->graph(parameters, s.distribution.map),
                  .id = {}};
  OwnersByPlacement const owners = owners_of_handles(out.graph, s.distribution);
  for (std::size_t h = 0; h < out.graph.handles.size(); ++h) out.graph.handles[h].owner = owners.front()[h];
  if (owners.size() > 1)  // the file has one owner for each datum
    for (std::uint32_t t = 0; t < out.graph.task_count(); ++t)
      out.node_of_task.push_back(
          owners[out.graph.placement(TaskId{t})][out.graph.written_by(TaskId{t}).index()]);
  out.application = definition->name;
  out.precision = parameters.precision;
  out.nb = parameters.nb;
  return out;
}

Flops total_flops(TaskGraph const& graph) {
  Flops total;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) total += graph.kernel_of(TaskId{t}).flops;
  return total;
}

}  // namespace factosim
