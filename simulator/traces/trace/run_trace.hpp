#pragma once

#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// One execution of a task: the kernel only.
struct TaskRecord {
  TaskId task;
  WorkerId worker;
  Seconds start;
  Seconds end;
};

/// One transfer of a handle from one memory node to another: over the bus of a node, or over the network.
struct TransferRecord {
  HandleId handle;
  MemoryNodeId from;
  MemoryNodeId to;
  Seconds start;
  Seconds end;
  Bytes size;
  TaskId producer = {};  // of a message: the task that wrote it
  TaskId consumer = {};  // of a message: its first reader, in submission order
};

/// A replica has been allocated in a memory node, or freed.
struct PlaceRecord {
  HandleId handle;
  MemoryNodeId memory;
  LocalReplica replica;  // of the node of that memory, which may have several versions of one handle
  Seconds date;
  bool taken;
};

/// The events of one simulation, in the order in which they ended.
struct TraceRecords {
  std::vector<Trace::Node> nodes;
  std::vector<Trace::MemoryNode> memory_nodes;
  std::vector<Trace::Worker> workers;
  std::vector<TaskRecord> tasks;
  std::vector<TransferRecord> transfers;
  std::vector<PlaceRecord> places;
  std::vector<Seconds> submissions;  // [tasks] dates
  bool gpu_direct = false;           // messages may leave and reach memories of GPUs
};

/// Converts the records of one simulation to a trace. `graph` is the executed graph, with the edges of its
/// plan; `owner` is the owner of each handle; `nb` is the tile size (0: unknown), which determines the shape
/// of tiles and the StarPU footprint of tasks. Jobs are numbered from 1 in submission order, over all nodes.
/// O(tasks + accesses + edges + transfers).
[[nodiscard]] Trace trace_of(TraceRecords const& records, TaskGraph const& graph,
                             std::span<NodeId const> owner, int nb);

}  // namespace factosim
