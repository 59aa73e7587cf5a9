#include "simulator/scenario/simulation/task_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "models/starpu_symbol.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/traces/programs/cross_edges.hpp"

namespace factosim {

namespace {

void check_node(PlacedScenario const& s, TaskProgram const& program, NodeId node) {
  if (node.valid() && node.index() >= s.platform.nodes.size())
    throw InputError(s.file + "#/application/file",
                     fmt::format("names node {} in {} (the platform has {} nodes, numbered from 0). Use a "
                                 "larger platform, or another \"placement\"",
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

/// Each task that is the last on its node to read a datum before a flush of it flushes it there.
void flush_by_last_readers(PlacedGraph& placed, RecordedProgram const& recorded) {
  TaskGraph& graph = placed.graph;
  std::map<HandleId, std::map<NodeId, TaskId>> readers;  // of data that are flushed, since their last write
  for (auto const& [before, datum] : recorded.flushes) readers[datum];
  auto flush = recorded.flushes.begin();
  for (std::uint32_t t = 0; t < graph.task_count() && !readers.empty(); ++t) {
    for (; flush != recorded.flushes.end() && flush->first == TaskId{t}; ++flush)
      for (auto const& [node, reader] : std::exchange(readers[flush->second], {}))
        graph.flushed_inputs.emplace_back(reader, flush->second);
    for (DataAccess const a : graph.accesses_of(TaskId{t}))
      if (auto const known = readers.find(a.handle()); known != readers.end()) {
        if (writes(a.mode())) known->second.clear();
        if (!writes(a.mode())) known->second[placed.nodes[t]] = TaskId{t};
      }
  }
  std::ranges::sort(graph.flushed_inputs);
  if (!graph.flushed_inputs.empty()) graph.flushes_inputs.resize(graph.task_count(), false);
  for (auto const& [task, datum] : graph.flushed_inputs) graph.flushes_inputs[task.index()] = true;
}

constexpr double never = std::numeric_limits<double>::infinity();

/// Finds the nodes of `earliest_finish_nodes`.
class EarliestFinish {
 public:
  EarliestFinish(TaskGraph const& graph, Machine const& machine, Topology const& topology)
      : graph_(graph),
        machine_(machine),
        topology_(topology),
        node_(graph.task_count()),
        end_(graph.task_count(), 0),
        before_(transpose(graph.successor_begin, graph.successors)) {
    for (std::size_t n = 0; n < machine.node_count(); ++n)
      free_.emplace_back(machine.type(NodeId{n}).workers.size(), 0.0);
  }

  std::vector<NodeId> nodes() && {
    std::vector<double> const rank = ranks();
    std::vector<std::uint32_t> order(graph_.task_count());
    std::iota(order.begin(), order.end(), 0U);
    // Submission order is topological, and no rank is less than that of a successor.
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t t) { return rank[t]; });
    for (std::uint32_t const t : order) place(TaskId{t});
    return std::move(node_);
  }

 private:
  /// A worker of a node, and when it would end a task.
  struct Choice {
    NodeId node;
    std::size_t worker = 0;
    double end = never;
  };

  [[nodiscard]] double duration(TaskId t, NodeId node, std::size_t worker) const {
    return machine_.durations(node, graph_.kernel[t.index()])[worker] *
           graph_.weight(t, machine_.type(node).workers[worker].gpu);
  }

  [[nodiscard]] double mean_duration(TaskId t) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::uint32_t type = 0; type < machine_.types.size(); ++type) {
      auto const node = std::ranges::find(machine_.type_of, type);
      if (node == machine_.type_of.end()) continue;
      NodeId const first{node - machine_.type_of.begin()};
      for (std::size_t w = 0; w < machine_.types[type].workers.size(); ++w)
        if (double const d = duration(t, first, w); !std::isinf(d)) sum += d, ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
  }

  [[nodiscard]] Bytes sent(TaskId from, TaskId to) const {
    HandleId const given = graph_.given_to(from, to);
    return given.valid() && graph_.reads_handle(to, given) ? graph_.handles[given.index()].size : Bytes{0};
  }
  [[nodiscard]] double message_time(NodeId from, NodeId to, Bytes size) const {
    return unshared_time(topology_, topology_.ram_of(from), topology_.ram_of(to), size).value;
  }

  /// Returns HEFT's upward ranks. The mean time of a message is that between the first two nodes: exact for a homogeneous
  /// network, an estimate otherwise.
  [[nodiscard]] std::vector<double> ranks() const {
    std::vector<double> rank(graph_.task_count());
    double const latency = message_time(NodeId{0}, NodeId{1}, Bytes{0});
    constexpr std::int64_t large = 1'000'000'000;
    double const per_byte = (message_time(NodeId{0}, NodeId{1}, Bytes{large}) - latency) / large;
    double const elsewhere = 1 - 1 / static_cast<double>(machine_.node_count());
    for (std::uint32_t t = static_cast<std::uint32_t>(graph_.task_count()); t-- > 0;) {
      double rest = 0;
      for (TaskId const s : graph_.successors_of(TaskId{t})) {
        double const message = latency + per_byte * static_cast<double>(sent(TaskId{t}, s).value);
        rest = std::max(rest, elsewhere * message + rank[s.index()]);
      }
      rank[t] = mean_duration(TaskId{t}) + rest;
    }
    return rank;
  }

  [[nodiscard]] Choice best_on(TaskId t, NodeId node) const {
    double ready = 0;
    for (std::uint32_t b = before_.begin[t.index()]; b < before_.begin[t.index() + 1]; ++b) {
      TaskId const before = before_.items[b];
      double const message =
          node_[before.index()] == node ? 0 : message_time(node_[before.index()], node, sent(before, t));
      ready = std::max(ready, end_[before.index()] + message);
    }
    Choice best{.node = node};
    for (std::size_t w = 0; w < free_[node.index()].size(); ++w) {
      double const end = std::max(ready, free_[node.index()][w]) + duration(t, node, w);
      if (end < best.end) best = {node, w, end};
    }
    return best;
  }

  void place(TaskId t) {
    Choice best{.node = NodeId{0}};
    for (std::size_t n = 0; n < machine_.node_count(); ++n)
      if (Choice const here = best_on(t, NodeId{n}); here.end < best.end) best = here;
    node_[t.index()] = best.node;
    if (best.end == never) return;  // no worker can run it; planning says so
    end_[t.index()] = best.end;
    free_[best.node.index()][best.worker] = best.end;
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  Topology const& topology_;
  std::vector<NodeId> node_;               // [tasks]
  std::vector<double> end_;                // [tasks]
  TaskRows before_;                        // predecessors
  std::vector<std::vector<double>> free_;  // [nodes][workers]
};

/// Returns a node for each task: the one where it would end first. Tasks in the order of their upward ranks (the longest
/// chain of mean durations and mean messages that begins with them); each takes the earliest free worker of each node, and its
/// data are sent on idle routes. Nodes and orders on workers are not kept: the policy of a node schedules anew. Source:
/// Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002 (HEFT), without insertion into gaps. O(tasks nodes workers + edges nodes).
std::vector<NodeId> earliest_finish_nodes(TaskGraph const& graph, PlacedScenario const& s,
                                          TimingKey const& key) {
  Machine const machine = build_machine(s.platform, s.models, graph.kernels, key, s.runtime);
  Topology const topology(s.platform);
  return EarliestFinish(graph, machine, topology).nodes();
}

/// Throws the InputError that lists the recorded kernels that no worker of the node can run.
[[noreturn]] void fail_without_footprints(TaskPlan const& p, GraphApplication const& app, NodeId node) {
  std::uint32_t const type = p.machine.type_of[node.index()];
  KernelModel model = p.scenario.models[type];
  model.timings = model.other_timings;  // those of the file
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < p.work.kernels.size(); ++k) {
    std::string const& name = p.work.kernels[k].name;
    if (!std::ranges::all_of(p.machine.durations(node, k), [](double d) { return std::isinf(d); })) continue;
    auto const known = app.program->recorded.kernels.find(name);
    if (known == app.program->recorded.kernels.end() || !known->second.footprint) {
      missing.push_back(name + ": it has no performance model");
      continue;
    }
    RecordedKernel const& kernel = known->second;
    std::string sizes;
    if (auto const symbol = parse_starpu_symbol(kernel.symbol))
      sizes = model.tile_sizes_text(symbol->kernel, symbol->application, symbol->precision);
    for (KernelHistory const& h : model.histories)
      if (h.symbol == kernel.symbol && sizes.find(h.footprint) == std::string::npos)
        sizes += (sizes.empty() ? "" : ", ") + h.footprint;
    missing.push_back(fmt::format("{}: no timing of footprint {:08x}; sizes there: {}", kernel.symbol,
                                  *kernel.footprint, sizes.empty() ? "none" : sizes));
  }
  throw InputError(
      p.scenario.file + "#/application/file",
      fmt::format("has kernels without durations on {} ({}). Record with --execute on that machine, "
                  "import its ~/.starpu, or use another platform",
                  p.scenario.platform.types[type].name, fmt::join(missing, "; ")));
}

}  // namespace

void complete_placement(PlacedGraph& placed, std::size_t node_count, TaskProgram const& program) {
  if (node_count == 1) {
    placed.owners.assign(placed.graph.handles.size(), NodeId{0});
    placed.nodes.assign(placed.graph.task_count(), NodeId{0});
    return;
  }
  placed.nodes.resize(placed.graph.task_count());
  for (std::uint32_t t = 0; t < placed.nodes.size(); ++t)
    if (!placed.nodes[t].valid()) placed.nodes[t] = node_by_owners(placed.graph, TaskId{t}, placed.owners);
  own_by_first_use(placed);
  flush_by_last_readers(placed, program.recorded);
  placed.joined = connect_nodes(placed.graph, placed.owners, placed.nodes, program.explicit_edges);
}

PlacedGraph place_graph(PlacedScenario const& s, GraphApplication const& app) {
  TaskProgram const& program = *app.program;
  PlacedGraph out{.graph = program.graph, .owners = {}, .source = program.source};
  std::size_t const nodes = s.platform.nodes.size();
  if (nodes > 1) {
    out.owners = stated_owners(s, app);
    if (app.options.placement == GraphOptions::Placement::earliest_finish)
      out.nodes = earliest_finish_nodes(
          out.graph, s, {.application = "", .precision = app.options.precision, .nb = app.options.nb});
    else if (app.options.placement == GraphOptions::Placement::file)
      out.nodes = program.node_of_task;
    for (NodeId const node : out.nodes) check_node(s, program, node);
  }
  complete_placement(out, nodes, program);
  return out;
}

void check_graph_runnable(TaskPlan const& p, GraphApplication const& app) {
  auto const found = find_unrunnable(p);
  if (!found) return;
  std::string const& type = p.scenario.platform.type_of(found->node).name;
  Kernel const& kernel = p.work.kernels[found->kernel];
  if (app.options.durations == GraphOptions::Durations::file)
    throw InputError(p.scenario.file + "#/application/file",
                     fmt::format("has tasks of {} without a duration on a worker of {} (node {}). Add cpu_s "
                                 "or cuda_s, or use \"durations\": \"platform\"",
                                 kernel.name, type, found->node.value()));
  if (app.program->recorded.is_there) fail_without_footprints(p, app, found->node);
  std::vector<std::string> timed;
  for (KernelTiming const& t : p.scenario.models[p.machine.type_of[found->node.index()]].timings)
    timed.push_back(t.kernel);
  bool const other_size = std::ranges::find(timed, kernel.name) != timed.end();
  throw InputError(
      p.scenario.file + "#/application",
      fmt::format("has tasks of {}, which cannot run on {} ({} has no {} precision timing of it for tiles of "
                  "{}, and nothing is extrapolated). {}Choose another \"nb\" or platform, import timings, or "
                  "give durations in the file",
                  kernel.name, type, p.scenario.models[p.machine.type_of[found->node.index()]].file,
                  name_of(app.options.precision), app.options.nb,
                  other_size ? "" : did_you_mean(kernel.name, timed)));
}

TaskProgram program_of_scenario(PlacedScenario const& s) {
  if (auto const* const app = std::get_if<GraphApplication>(&s.application)) {
    TaskProgram out = *app->program;
    if (app->options.durations ==
        GraphOptions::Durations::platform) {  // what the scenario says of them counts
      out.application = app->options.application;
      out.precision = app->options.precision;
      out.nb = app->options.nb;
    }
    return out;
  }
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
