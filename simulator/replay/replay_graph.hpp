#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The task graph of a recorded run, laid out on nodes.
struct ReplayGraph {
  TaskGraph graph;                      // kernel: into TraceTimings::kinds()
  std::vector<NodeId> node;             // [tasks] where each runs
  std::vector<NodeId> owner;            // [handles] where each is at the start
  std::vector<std::uint32_t> recorded;  // [tasks] into the trace's
};

/// The graph with tasks where they ran. Tasks are numbered in the order of their submission as far as
/// dependencies allow it: dates of different nodes need not agree. Messages join the nodes: what a task sends
/// is the data that its readers elsewhere name; where that is none, or more than the one that it writes
/// first, it is one piece of data of the same size. `kinds`: [tasks of the trace]. O((tasks + edges +
/// accesses) log).
[[nodiscard]] ReplayGraph recorded_graph(Trace const& trace, std::vector<Kernel> kernels,
                                         std::vector<std::uint32_t> const& kinds);

/// The graph with tasks where a distribution puts what they write first: handles with coordinates by the map,
/// others where the first task that names them is. Throws InputError where the trace tells no data, or has
/// data outside of the map.
[[nodiscard]] ReplayGraph distributed_graph(Trace const& trace, std::vector<Kernel> kernels,
                                            std::vector<std::uint32_t> const& kinds, TileMap const& map);

}  // namespace factosim
