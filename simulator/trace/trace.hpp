#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

/// What a time or an amount is where the source does not tell: not a number.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A run as one file or directory tells it, measured or simulated: what was executed where and when, which
/// data and dependencies it had, what moved between memory nodes and nodes. Readers of foreign formats
/// produce it, writers and comparisons take it. Struct of arrays, some 150 bytes a task with its accesses.
/// Times are seconds since the start of the trace; ids and arrays are empty or invalid where the source is
/// silent.
struct Trace {
  enum class Device : std::uint8_t { cpu, gpu };

  struct Node {  // one process of the real run
    std::string name;
    std::string type;  // of the platform, if known
  };
  struct MemoryNode {
    std::string name;  // within its node: "ram", "cuda0"
    NodeId node;
  };
  struct Worker {
    std::string name;  // within its node: "cpu3", "cuda0"
    NodeId node;
    MemoryNodeId memory;
    Device device = Device::cpu;
  };
  struct Handle {
    Bytes size{-1};               // negative: unknown
    std::int32_t m = -1, n = -1;  // its coordinates, if it has some
    NodeId owner;                 // where its home is
    std::uint64_t address = 0;    // what the source calls it, on its owner
    std::string shape;            // as StarPU writes it: "M960x960x8"; empty: unknown
    std::int32_t tag = -1;        // by which nodes know it; negative: none
  };
  struct Message {  // between nodes
    NodeId from, to;
    double start_s, end_s;
    Bytes size;
    HandleId handle;
    TaskId producer, consumer;
  };
  struct Copy {  // between memory nodes of one node
    MemoryNodeId from, to;
    double start_s, end_s;
    Bytes size;
    HandleId handle;
  };
  struct Place {  // of a replica in a memory node: tiles of the RAM (its first NUMA node), all of a GPU
    MemoryNodeId memory;
    HandleId handle;
    double start_s, end_s;  // from taking it to giving it back; unknown end: never
  };
  struct Execution {  // of a task that ran before
    TaskId task;
    WorkerId worker;
    double start_s, end_s;
  };
  struct State {  // what a worker does besides tasks: "Idle", "FetchingInput", "Scheduling", ...
    WorkerId worker;
    std::uint16_t name;  // index into state_names
    double start_s, end_s;
  };

  std::string source;  // the file or directory
  std::string format;  // "starpu-rec", "starvz", "paje", "csv", "factosim"
  std::vector<Node> nodes;
  std::vector<MemoryNode> memory_nodes;
  std::vector<Worker> workers;
  std::vector<Kernel> kernels;  // by the source's name; `timing` is ours ("gemm"), where we know it
  std::vector<Handle> handles;

  // One entry a task, in submission order where it is known, else in order of their start.
  std::vector<std::uint16_t> kernel;
  std::vector<WorkerId> worker;  // invalid: was not executed by a worker
  std::vector<double> submit_s, start_s, end_s;
  std::vector<std::int32_t> priority;
  std::vector<TaskIndices> indices;         // empty: unknown
  std::vector<std::uint32_t> footprint;     // of the performance model; 0: unknown
  std::vector<std::uint32_t> access_begin;  // [tasks + 1] into accesses; empty: unknown
  std::vector<DataAccess> accesses;
  std::vector<std::uint32_t> predecessor_begin;  // [tasks + 1] into predecessors; empty: unknown
  std::vector<TaskId> predecessors;              // direct ones between tasks with a kernel, rising, each once

  std::vector<Message> messages;
  std::vector<Copy> copies;
  bool tells_places = false;       // `places` and `repeats` are known
  std::vector<Place> places;       // in the order in which they were taken
  std::vector<Execution> repeats;  // executions of tasks beyond their first: a sound run has none
  std::vector<std::string> state_names;
  std::vector<State> states;

  std::vector<Finding> findings;  // what a reader left out or found odd

  // What only some sources tell, and only writers of their own format need; [tasks] each, or empty.
  std::vector<std::uint32_t> job;           // the number the source gave it, within its node; 0: none
  std::vector<std::uint32_t> submit_order;  // within its node, from 1; 0: unknown
  std::vector<std::uint64_t> tag;
  std::vector<double> flops;      // of that one task; 0: unknown
  std::vector<bool> writes_back;  // as in TaskGraph: what it wrote will not be used for a while

  std::vector<std::string> models;  // [kernels] their performance models; empty: as the kernel is called

  /// A hint of the application: `handle` will not be used for a while.
  struct WontUse {
    NodeId node;
    HandleId handle;
    double submit_s;
    std::uint32_t job, submit_order;
  };
  std::vector<WontUse> wont_use;

  [[nodiscard]] std::size_t task_count() const { return kernel.size(); }
  /// None where they are unknown, as those of all tasks are then.
  [[nodiscard]] std::span<DataAccess const> accesses_of(TaskId t) const {
    if (access_begin.empty()) return {};
    return {accesses.data() + access_begin[t.index()], accesses.data() + access_begin[t.index() + 1]};
  }
  [[nodiscard]] std::span<TaskId const> predecessors_of(TaskId t) const {
    if (predecessor_begin.empty()) return {};
    return {predecessors.data() + predecessor_begin[t.index()],
            predecessors.data() + predecessor_begin[t.index() + 1]};
  }
};

}  // namespace factosim
