#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

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

struct WorkerInfo {
  std::string name;  // "cpu3", "cuda0" within its node
  NodeId node;
  MemoryNodeId memory;
  bool gpu = false;
};

/// The events of one simulation, in the order in which they ended.
struct TraceRecords {
  std::vector<WorkerInfo> workers;            // [workers]
  std::vector<NodeId> memory_node_owner;      // [memory nodes]
  std::vector<std::string> memory_node_name;  // [memory nodes] "ram", "cuda0"
  std::vector<std::string> node_type;         // [nodes]
  std::vector<TaskRecord> tasks;
  std::vector<TransferRecord> transfers;
  std::vector<PlaceRecord> places;
  std::vector<Seconds> submissions;  // [tasks] dates
  bool gpu_direct = false;           // messages may leave and reach memories of GPUs
};

}  // namespace factosim
