#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// One execution of a task, kernel only.
struct TaskRecord {
  TaskId task;
  WorkerId worker;
  Seconds start;
  Seconds end;
};

/// One copy of a handle between memory nodes: over the bus within a node, over the network between nodes.
struct TransferRecord {
  HandleId handle;
  MemoryNodeId from;
  MemoryNodeId to;
  Seconds start;
  Seconds end;
  Bytes size;
  TaskId producer = {};  // of a message: the task that wrote the data
  TaskId consumer = {};  // of a message: its first consumer in submission order
};

/// Allocation or release of a replica in a memory node.
struct PlaceRecord {
  HandleId handle;
  MemoryNodeId memory;
  std::uint32_t replica;  // of the plan: a node may hold several versions of one handle
  Seconds date;
  bool taken;
};

struct WorkerInfo {
  std::string name;  // "cpu3", "cuda0" within its node
  NodeId node;
  MemoryNodeId memory;
  bool gpu = false;
};

/// All events of one simulation, in the order of their ends.
struct TraceRecords {
  std::vector<WorkerInfo> workers;            // [workers]
  std::vector<NodeId> memory_node_owner;      // [memory nodes]
  std::vector<std::string> memory_node_name;  // [memory nodes] "ram", "cuda0"
  std::vector<std::string> node_type;         // [nodes]
  std::vector<TaskRecord> tasks;
  std::vector<TransferRecord> transfers;
  std::vector<PlaceRecord> places;
  std::vector<Seconds> submissions;  // [tasks] date of submission
};

}  // namespace factosim
