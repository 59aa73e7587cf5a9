#include "simulator/traces/trace/run_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "factosim/error.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

/// Returns StarPU's shape of a tile; the element size follows from the tile's size.
std::string shape(HandleInfo const& handle, std::int64_t nb) {
  if (handle.data != DataKind::tile || nb == 0 || handle.size.value % (nb * nb) != 0) return {};
  return fmt::format("M{}x{}x{}", nb, nb, handle.size.value / (nb * nb));
}

void add_handles(Trace& trace, TaskGraph const& graph, std::span<NodeId const> owner, int nb) {
  trace.handles.reserve(graph.handles.size());
  for (std::size_t h = 0; h < graph.handles.size(); ++h) {
    HandleInfo const& handle = graph.handles[h];
    trace.handles.push_back({.size = handle.size,
                             .m = handle.m,
                             .n = handle.n,
                             .owner = owner[h],
                             .address = h + 1,
                             .shape = shape(handle, nb),
                             .tag = static_cast<std::int32_t>(h)});
  }
}

/// [tasks] footprint if all data of the task are square tiles; otherwise 0.
std::vector<std::uint32_t> footprints(Trace const& trace, TaskGraph const& graph, int nb) {
  std::vector<std::uint32_t> by_count;  // [number of tiles] footprint of a task on that many tiles
  std::vector<std::uint32_t> out(graph.task_count(), 0);
  for (std::size_t t = 0; t < out.size(); ++t) {
    auto const accesses = graph.accesses_of(TaskId{t});
    if (!std::all_of(accesses.begin(), accesses.end(),
                     [&](DataAccess a) { return !trace.handles[a.handle().index()].shape.empty(); }))
      continue;
    while (by_count.size() <= accesses.size())
      by_count.push_back(square_footprint(static_cast<int>(by_count.size()), nb));
    out[t] = by_count[accesses.size()];
  }
  return out;
}

void add_tasks(Trace& trace, TaskGraph const& graph, int nb) {
  std::size_t const tasks = graph.task_count();
  trace.kernels = graph.kernels;
  trace.kernel = graph.kernel;
  trace.priority = graph.priority;
  trace.indices = graph.indices;
  trace.access_begin = graph.access_begin;
  trace.accesses = graph.accesses;
  trace.writes_back = graph.writes_back;
  trace.footprint = footprints(trace, graph, nb);
  trace.flops.resize(tasks);
  for (std::size_t t = 0; t < tasks; ++t) trace.flops[t] = graph.kernel_of(TaskId{t}).flops.value;
}

/// Numbers jobs and submissions from 1 in submission order. A hint of the application is submitted right
/// after its task.
void number_jobs(Trace& trace, TaskGraph const& graph) {
  std::uint32_t number = 0;
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    trace.job.push_back(++number);
    if (!trace.writes_back[t]) continue;
    HandleId const handle = graph.written_by(TaskId{t});
    ++number;
    trace.wont_use.push_back({.node = trace.node_of(TaskId{t}),
                              .handle = handle,
                              .submit_s = trace.submit_s[t],
                              .job = number,
                              .submit_order = number});
  }
  trace.submit_order = trace.job;
}

void add_predecessors(Trace& trace, TaskGraph const& graph) {
  TaskRows rows = transpose(graph.successor_begin, graph.successors);
  trace.predecessor_begin = std::move(rows.begin);
  trace.predecessors = std::move(rows.items);
}

void add_times(Trace& trace, TraceRecords const& records, TaskGraph const& graph) {
  std::size_t const tasks = trace.task_count();
  trace.worker.resize(tasks);
  trace.submit_s.assign(tasks, unknown);
  trace.start_s.assign(tasks, unknown);
  trace.end_s.assign(tasks, unknown);
  for (std::uint32_t t = 0; t < records.submissions.size(); ++t)
    trace.submit_s[graph.submission_number(TaskId{t})] = records.submissions[t].value;
  for (TaskRecord const& r : records.tasks) {
    std::uint32_t const task = graph.submission_number(r.task);
    if (trace.worker[task].valid()) {
      trace.repeats.push_back({TaskId{task}, r.worker, r.start.value, r.end.value});
      continue;
    }
    trace.worker[task] = r.worker;
    trace.start_s[task] = r.start.value;
    trace.end_s[task] = r.end.value;
  }
}

void add_transfers(Trace& trace, TraceRecords const& records, TaskGraph const& graph) {
  auto const submitted = [&](TaskId task) {
    return task.valid() ? TaskId{graph.submission_number(task)} : TaskId{};
  };
  for (TransferRecord const& r : records.transfers) {
    NodeId const from = records.memory_nodes[r.from.index()].node;
    NodeId const to = records.memory_nodes[r.to.index()].node;
    if (from != to)
      trace.messages.push_back({from, to, r.start.value, r.end.value, r.size, r.handle, submitted(r.producer),
                                submitted(r.consumer), r.from, r.to});
    else
      trace.copies.push_back({r.from, r.to, r.start.value, r.end.value, r.size, r.handle});
  }
}

void add_places(Trace& trace, TraceRecords const& records) {
  trace.has_places = true;
  std::unordered_map<std::uint64_t, std::uint32_t> open;  // replica and memory node -> index of the place
  for (PlaceRecord const& r : records.places) {
    std::uint64_t const key = std::uint64_t{r.replica.value()} << 32U | r.memory.value();
    if (r.taken) {
      open[key] = static_cast<std::uint32_t>(trace.places.size());
      trace.places.push_back({r.memory, r.handle, r.date.value, unknown});
    } else if (auto const place = open.find(key); place != open.end()) {
      trace.places[place->second].end_s = r.date.value;
      open.erase(place);
    }
  }
}

}  // namespace

Trace trace_of(TraceRecords const& records, TaskGraph const& graph, std::span<NodeId const> owner, int nb) {
  FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "one owner per handle");
  Trace trace;
  trace.format = "factosim";
  trace.nodes = records.nodes;
  trace.memory_nodes = records.memory_nodes;
  trace.workers = records.workers;
  add_handles(trace, graph, owner, nb);
  // Records use the numbering of the placed graph, traces the submission order.
  std::optional<TaskGraph> renumbered;
  if (!graph.submission.empty()) number_by_submission(renumbered.emplace(graph));
  TaskGraph const& submitted = renumbered ? *renumbered : graph;
  add_tasks(trace, submitted, nb);
  add_predecessors(trace, submitted);
  add_times(trace, records, graph);
  number_jobs(trace, submitted);
  add_transfers(trace, records, graph);
  trace.has_message_memories = records.gpu_direct;
  add_places(trace, records);
  return trace;
}

}  // namespace factosim
