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

/// One copy of a handle from one memory node to another: within a node over its bus, between nodes over the
/// network.
struct TransferRecord {
  HandleId handle;
  MemoryNodeId from;
  MemoryNodeId to;
  Seconds start;
  Seconds end;
  Bytes size;
  TaskId producer = {};  // of a message: which task wrote it
  TaskId consumer = {};  // of a message: the first task, in submission order, that it is for
};

/// A replica has taken its place in a memory node, or given it back.
struct PlaceRecord {
  HandleId handle;
  MemoryNodeId memory;
  ReplicaId replica;  // a node may hold several versions of one handle
  Seconds date;
  bool taken;
};

struct WorkerInfo {
  std::string name;  // "cpu3", "cuda0" within its node
  NodeId node;
  MemoryNodeId memory;
  bool gpu = false;
};

/// All that happened in one simulation, in the order in which it ended.
struct TraceRecords {
  std::vector<WorkerInfo> workers;            // [workers]
  std::vector<NodeId> memory_node_owner;      // [memory nodes]
  std::vector<std::string> memory_node_name;  // [memory nodes] "ram", "cuda0"
  std::vector<std::string> node_type;         // [nodes]
  std::vector<TaskRecord> tasks;
  std::vector<TransferRecord> transfers;
  std::vector<PlaceRecord> places;
  std::vector<Seconds> submissions;  // [tasks] when each was submitted
};

}  // namespace factosim
