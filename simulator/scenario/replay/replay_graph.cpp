#include "simulator/scenario/replay/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t none = TaskId::none;

std::vector<TaskEdge> recorded_edges(Trace const& trace) {
  std::vector<TaskEdge> edges;
  edges.reserve(trace.predecessors.size());
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (TaskId const before : trace.predecessors_of(TaskId{t})) edges.push_back({before, TaskId{t}});
  return edges;
}

/// Returns edges from a reader on another node to the task that overwrites the version it read. These are no
/// dependencies of the run, in which each node has its own copy, but they order the versions.
std::vector<TaskEdge> overwriting_edges(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<TaskEdge> out;
  if (trace.predecessor_begin.empty() || trace.access_begin.empty()) return out;
  std::vector<std::vector<TaskId>> writers(trace.handles.size());  // in the order of submission
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (DataAccess const& access : trace.accesses_of(TaskId{t}))
      if (writes(access.mode())) writers[access.handle().index()].push_back(TaskId{t});
  // Returns the first task on the node of `task` that writes the handle after it.
  auto const next_writer = [&](TaskId task, HandleId handle) {
    auto const& list = writers[handle.index()];
    auto const later = std::upper_bound(list.begin(), list.end(), task);
    return std::find_if(later, list.end(),
                        [&](TaskId other) { return node[other.index()] == node[task.index()]; });
  };
  for (auto const& [before, task] : recorded_edges(trace)) {
    if (node[before.index()] == node[task.index()]) continue;
    for (DataAccess const& access : trace.accesses_of(before)) {
      if (!writes(access.mode()) || !trace.task_reads(task, access.handle())) continue;
      auto const next = next_writer(before, access.handle());
      if (next != writers[access.handle().index()].end() && *next != task) out.push_back({task, *next});
    }
  }
  return out;
}

/// Returns the tasks of the trace ordered by the edges. Shorter than the trace if there is a cycle.
std::vector<TaskId> ordered(Trace const& trace, std::span<TaskEdge const> edges) {
  TaskRows const successors = rows_of(trace.task_count(), edges);
  return topological_order(successors.begin, successors.items).tasks;
}

/// Returns the node of each task of a trace; node 0 for tasks without a worker.
std::vector<NodeId> nodes_of_tasks(Trace const& trace) {
  std::vector<NodeId> node;
  node.reserve(trace.task_count());
  for (WorkerId const w : trace.worker) node.push_back(w.valid() ? trace.workers[w.index()].node : NodeId{0});
  return node;
}

/// Returns the tasks of the trace in the order of submission, each moved back as far as needed to follow its
/// predecessors and, if it overwrites data, the tasks on other nodes that read the version before. The
/// dependencies must have no cycle: read_trace refuses such traces. O(edges + tasks log tasks).
std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<TaskEdge> edges = recorded_edges(trace);
  std::size_t const recorded = edges.size();
  std::vector<TaskEdge> const overwriting = overwriting_edges(trace, node);
  edges.insert(edges.end(), overwriting.begin(), overwriting.end());
  std::vector<TaskId> order = ordered(trace, edges);
  // Unsynchronized clocks may order versions impossibly: then readers are ordered by dependencies alone.
  if (order.size() < trace.task_count()) order = ordered(trace, std::span(edges).first(recorded));
  FACTOSIM_ENSURE(order.size() == trace.task_count(), "a trace was read whose tasks wait for each other");
  std::vector<std::uint32_t> out;
  std::ranges::transform(order, std::back_inserter(out), &TaskId::value);
  return out;
}

/// Returns the kinds of tasks of the trace as kernels, with the mean of their operations.
std::vector<Kernel> kernels_of(Trace const& trace, TraceTimings const& timings) {
  std::vector<double> flops(timings.kinds().size(), 0), count(flops.size(), 0);
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    ++count[timings.kind_of_task()[t]];
    if (!trace.flops.empty()) flops[timings.kind_of_task()[t]] += trace.flops[t];
  }
  std::vector<Kernel> out;
  for (std::size_t k = 0; k < timings.kinds().size(); ++k) {
    Kernel kernel = trace.kernels[timings.kinds()[k].kernel];
    if (trace.format != "factosim") kernel.name = timing_name(kernel);  // not the symbol of a StarPU model
    kernel.flops = Flops{flops[k] / count[k]};
    out.push_back(std::move(kernel));
  }
  return out;
}

/// Builds the graph of a replay.
class ReplayGraphMaker {
 public:
  ReplayGraphMaker(Trace const& trace, TraceTimings const& timings)
      : trace_(trace), timings_(timings), node_in_trace_(nodes_of_tasks(trace)) {
    out_.recorded = replay_order(trace, node_in_trace_);
    number_.resize(trace.task_count());
    for (std::uint32_t t = 0; t < out_.recorded.size(); ++t) number_[out_.recorded[t]] = t;
    make_handles();
  }

  ReplayGraph recorded() && {
    for (std::uint32_t const t : out_.recorded) out_.node.push_back(node_in_trace_[t]);
    read_accesses();
    own_by_first_use();
    if (trace_.predecessor_begin.empty() && !trace_.access_begin.empty()) {
      derive_edges();
    } else {
      copy_edges();
      wait_for_writers();
      join_nodes();
    }
    finish();
    return std::move(out_);
  }

  ReplayGraph distributed(TileMap const& map) && {
    if (trace_.access_begin.empty())
      throw InputError(trace_.source + "#",
                       "tells no data of its tasks (without it no distribution can place them). Use a trace "
                       "with handles, or leave \"distribution\" out");
    read_accesses();
    own_by_map(map);
    // A run on several nodes records no anti-dependencies between nodes: each has its own copy.
    if (trace_.nodes.size() > 1 || trace_.predecessor_begin.empty())
      derive_edges();
    else
      copy_edges();
    finish();
    return std::move(out_);
  }

 private:
  void make_handles() {
    for (Trace::Handle const& h : trace_.handles)
      add_handle(h.size.value < 0 ? std::nullopt : std::optional(h.size), h.m, h.n);
  }

  void read_accesses() {
    for (std::uint32_t const r : out_.recorded) {
      auto const accesses = trace_.accesses_of(TaskId{r});
      accesses_.emplace_back(accesses.begin(), accesses.end());
    }
  }

  HandleId add_handle(std::optional<Bytes> size, std::int32_t m = -1, std::int32_t n = -1) {
    out_.graph.handles.push_back({.size = size.value_or(Bytes{0}), .m = m, .n = n});
    out_.unsized.push_back(!size);
    return HandleId{out_.graph.handles.size() - 1};
  }
  HandleId add_owned_handle(std::optional<Bytes> size, NodeId owner) {
    out_.owner.push_back(owner);
    return add_handle(size);
  }
  [[nodiscard]] std::optional<Bytes> size_of(HandleId handle) const {
    if (out_.unsized[handle.index()]) return std::nullopt;
    return out_.graph.handles[handle.index()].size;
  }

  /// A handle that no task has written yet is owned by the node of its first use; other nodes that read it
  /// have copies from the start.
  void own_by_first_use() {
    std::size_t const handles = out_.graph.handles.size();
    out_.owner.assign(handles, NodeId{});
    std::vector<bool> written(handles, false);
    std::map<std::pair<HandleId, NodeId>, HandleId> copies;
    for (std::uint32_t t = 0; t < accesses_.size(); ++t)
      for (DataAccess& access : accesses_[t]) {
        std::size_t const h = access.handle().index();
        if (!out_.owner[h].valid()) out_.owner[h] = out_.node[t];
        if (!written[h] && out_.owner[h] != out_.node[t] && !writes(access.mode())) {
          auto const [place, is_new] = copies.try_emplace({access.handle(), out_.node[t]});
          if (is_new) place->second = add_owned_handle(size_of(access.handle()), out_.node[t]);
          access = DataAccess(place->second, access.mode());
        } else if (writes(access.mode())) {
          written[h] = true;
        }
      }
    for (NodeId& owner : out_.owner)
      if (!owner.valid()) owner = NodeId{0};
  }

  void own_by_map(TileMap const& map) {
    out_.owner.assign(out_.graph.handles.size(), NodeId{});
    for (std::size_t h = 0; h < out_.owner.size(); ++h) {
      HandleInfo const& handle = out_.graph.handles[h];
      if (handle.m >= 0 && handle.n >= 0 && handle.m < map.mt && handle.n < map.nt)
        out_.owner[h] = map.at(handle.m, handle.n);
    }
    for (auto const& accesses : accesses_) {
      NodeId node{};
      for (bool const written : {true, false})
        for (DataAccess const access : accesses)
          if (!node.valid() && writes(access.mode()) == written) node = out_.owner[access.handle().index()];
      if (!node.valid()) node = NodeId{0};
      for (DataAccess const access : accesses) {
        NodeId& owner = out_.owner[access.handle().index()];
        if (!owner.valid()) owner = node;
      }
      out_.node.push_back(node);
    }
    for (NodeId& owner : out_.owner)
      if (!owner.valid()) owner = NodeId{0};
  }

  void copy_edges() {
    before_.resize(out_.recorded.size());
    for (std::uint32_t t = 0; t < out_.recorded.size(); ++t) {
      for (TaskId const before : trace_.predecessors_of(TaskId{out_.recorded[t]}))
        before_[t].push_back(number_[before.index()]);
      std::sort(before_[t].begin(), before_[t].end());
    }
  }

  /// Makes each task that reads what another node has written depend on the task that wrote it: nothing else
  /// would bring the data to its node.
  void wait_for_writers() {
    std::vector<std::uint32_t> writer(out_.graph.handles.size(), none);
    for (std::uint32_t t = 0; t < accesses_.size(); ++t) {
      std::vector<std::uint32_t>& before = before_[t];
      std::size_t const known = before.size();
      for (DataAccess const access : accesses_[t]) {
        std::uint32_t& last = writer[access.handle().index()];
        if (last != none && reads(access.mode()) && out_.node[last] != out_.node[t] &&
            std::find(before.begin(), before.end(), last) == before.end())
          before.push_back(last);
        if (writes(access.mode())) last = t;
      }
      std::sort(before.begin(), before.end());
      if (before.size() > known) ++out_.waits_added;
    }
  }

  /// Derives dependencies from accesses, as the runtime system does.
  void derive_edges() {
    SequentialTaskFlow flow;
    KernelId const any = flow.add_kernel({.name = "any", .flops = Flops{0}});
    for (HandleInfo const& handle : out_.graph.handles) flow.add_handle(handle);
    for (auto const& accesses : accesses_) flow.submit(any, 0, {}, accesses);
    TaskGraph const derived = std::move(flow).finish();
    before_.resize(out_.recorded.size());
    for (std::uint32_t t = 0; t < derived.task_count(); ++t)
      for (TaskId const s : derived.successors_of(TaskId{t})) before_[s.index()].push_back(t);
  }

  /// The handles that tasks on other nodes read from one task.
  struct Sent {
    std::vector<std::pair<std::uint32_t, std::vector<HandleId>>> readers;  // each with its handles
    std::vector<HandleId> handles;                                         // each once
    bool without_data = false;  // some reader names no handle that the task wrote
  };

  /// Makes each message carry one handle, the first that its task writes.
  void join_nodes() {
    std::vector<std::uint32_t> version(out_.graph.handles.size(), none);
    std::map<std::uint32_t, Sent> sent;
    for (std::uint32_t t = 0; t < accesses_.size(); ++t) {
      for (std::uint32_t const before : before_[t])
        if (out_.node[before] != out_.node[t]) note_sent(sent[before], version, before, t);
      for (DataAccess const access : accesses_[t])
        if (writes(access.mode())) version[access.handle().index()] = t;
    }
    for (auto const& [task, what] : sent)
      if (what.without_data || what.handles.size() != 1 || what.handles.front() != first_written(task))
        join_output(task, what);
      else if (auto const size = size_of(what.handles.front()) ? std::nullopt : recorded_size(task))
        set_size(what.handles.front(), *size);
  }

  void set_size(HandleId handle, Bytes size) {
    out_.graph.handles[handle.index()].size = size;
    out_.unsized[handle.index()] = false;
  }

  /// Returns the largest number of bytes that messages of the task carried to one node; nullopt: not known.
  [[nodiscard]] std::optional<Bytes> recorded_size(std::uint32_t task) {
    if (recorded_sizes_.empty())
      for (Trace::Message const& m : trace_.messages) {
        if (!m.producer.valid()) continue;
        auto& size = recorded_sizes_.try_emplace({m.producer, m.to}, Bytes{0}).first->second;
        if (m.size.value < 0) size.reset();
        if (size) *size += m.size;
      }
    TaskId const producer{out_.recorded[task]};
    std::optional<Bytes> largest;
    for (auto sent = recorded_sizes_.lower_bound({producer, NodeId{0}});
         sent != recorded_sizes_.end() && sent->first.first == producer; ++sent) {
      if (!sent->second) return std::nullopt;
      largest = std::max(largest.value_or(Bytes{0}), *sent->second);
    }
    return largest;
  }

  /// Returns the bytes of the data that the task sends; nullopt: not known.
  [[nodiscard]] std::optional<Bytes> sent_size(std::uint32_t task, Sent const& what) {
    std::optional<Bytes> sum{Bytes{0}};
    for (HandleId const h : what.handles) {
      auto const size = size_of(h);
      sum = sum && size ? std::optional(*sum + *size) : std::nullopt;
    }
    if (sum && !what.without_data) return sum;
    return recorded_size(task);
  }

  void note_sent(Sent& sent, std::vector<std::uint32_t> const& version, std::uint32_t before,
                 std::uint32_t reader) {
    std::vector<HandleId> read;
    for (DataAccess const access : accesses_[reader])
      if (reads(access.mode()) && version[access.handle().index()] == before) read.push_back(access.handle());
    for (HandleId const h : read)
      if (std::find(sent.handles.begin(), sent.handles.end(), h) == sent.handles.end())
        sent.handles.push_back(h);
    if (read.empty()) sent.without_data = true;
    sent.readers.emplace_back(reader, std::move(read));
  }

  void join_output(std::uint32_t task, Sent const& what) {
    HandleId const joined = add_owned_handle(sent_size(task, what), out_.node[task]);
    accesses_[task].insert(accesses_[task].begin(), DataAccess(joined, Access::write));
    for (auto const& [reader, read] : what.readers) {
      std::vector<DataAccess> accesses;
      for (DataAccess const access : accesses_[reader]) {
        bool const part = std::find(read.begin(), read.end(), access.handle()) != read.end();
        if (!part) accesses.push_back(access);
        if (part && writes(access.mode())) accesses.emplace_back(access.handle(), Access::write);
      }
      accesses.emplace_back(joined, Access::read);
      accesses_[reader] = std::move(accesses);
    }
  }

  [[nodiscard]] HandleId first_written(std::uint32_t task) const {
    for (DataAccess const access : accesses_[task])
      if (writes(access.mode())) return access.handle();
    return {};
  }

  void finish() {
    TaskGraph& g = out_.graph;
    g.kernels = kernels_of(trace_, timings_);
    g.access_begin.push_back(0);
    std::vector<std::uint32_t> begin{0};
    std::vector<TaskId> predecessors;
    for (std::uint32_t t = 0; t < out_.recorded.size(); ++t) {
      std::uint32_t const r = out_.recorded[t];
      g.kernel.push_back(static_cast<std::uint16_t>(timings_.kind_of_task()[r]));
      g.priority.push_back(trace_.priority.empty() ? 0 : trace_.priority[r]);
      g.indices.push_back(trace_.indices.empty() ? TaskIndices{} : trace_.indices[r]);
      g.writes_back.push_back(!trace_.writes_back.empty() && trace_.writes_back[r] &&
                              first_written(t).valid());
      g.accesses.insert(g.accesses.end(), accesses_[t].begin(), accesses_[t].end());
      g.access_begin.push_back(static_cast<std::uint32_t>(g.accesses.size()));
      g.predecessors.push_back(static_cast<std::uint32_t>(before_[t].size()));
      for (std::uint32_t const b : before_[t]) predecessors.emplace_back(b);
      begin.push_back(static_cast<std::uint32_t>(predecessors.size()));
    }
    TaskRows successors = transpose(begin, predecessors);
    g.successor_begin = std::move(successors.begin);
    g.successors = std::move(successors.items);
  }

  Trace const& trace_;
  TraceTimings const& timings_;
  std::vector<NodeId> node_in_trace_;
  std::vector<std::uint32_t> number_;               // [tasks of the trace] in the graph
  std::vector<std::vector<DataAccess>> accesses_;   // [tasks of the graph]
  std::vector<std::vector<std::uint32_t>> before_;  // [tasks of the graph]
  /// Bytes of the recorded messages of a task to a node; nullopt: not known. Made when it is needed.
  std::map<std::pair<TaskId, NodeId>, std::optional<Bytes>> recorded_sizes_;
  ReplayGraph out_;
};

}  // namespace

ReplayGraph replay_graph(TraceApplication const& application, TraceTimings const& timings,
                         TileMap const* map) {
  ReplayGraphMaker maker(*application.trace, timings);
  if (application.options.mapping == ReplayOptions::Mapping::distribution)
    return std::move(maker).distributed(*map);
  return std::move(maker).recorded();
}

}  // namespace factosim
