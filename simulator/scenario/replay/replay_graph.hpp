#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/scenario/replay/trace_application.hpp"

namespace factosim {

/// The task graph of a recorded run, with the nodes of tasks and handles.
struct ReplayGraph {
  TaskGraph graph;                      // kernel: into TraceTimings::kinds()
  std::vector<NodeId> node;             // [tasks] node that runs the task
  std::vector<NodeId> owner;            // [handles] node that has the handle at the start
  std::vector<std::uint32_t> recorded;  // [tasks] index into the tasks of the trace
  std::vector<bool> unsized;            // [handles] whose size is not known; they have 0 bytes
  std::size_t waits_added = 0;  // tasks that read what another node wrote, without a recorded dependency
};

/// Returns the graph of a trace, in which each task runs on the node that ran it. Tasks are numbered in the order of
/// their submission as far as dependencies allow, since the clocks of nodes may disagree. A task sends its first
/// output if that is all that its successors on other nodes read of it. Otherwise it sends one new handle with the
/// total size of the data they read. Where that is not known, it has the size of the recorded messages.
/// With Mapping::distribution, each task runs on the owner of the first handle that it writes: by `map` if the handle
/// has coordinates, else the node of the first task that names it. Throws InputError if the trace has no data then.
/// `timings`: of the trace. O((tasks + edges + accesses) log).
[[nodiscard]] ReplayGraph replay_graph(TraceApplication const& application, TraceTimings const& timings,
                                       TileMap const* map);

}  // namespace factosim
