#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

/// Value of times and amounts that the source does not record: NaN.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Latest date of a run, and the earliest, negative: 30 million years. Later ones are damage or nonsense.
constexpr double max_date_s = 1e15;
/// Returns whether a run may have that date, or does not record it.
[[nodiscard]] inline bool plausible_date(double seconds) {
  return std::isnan(seconds) || std::abs(seconds) <= max_date_s;
}

/// A run, measured or simulated: tasks with worker and dates, data and dependencies, transfers between memory
/// nodes and nodes. Readers of foreign formats produce it, writers and comparisons use it. Struct of arrays,
/// about 150 bytes per task with its accesses. Times are seconds since the start of the trace; ids and arrays
/// are invalid or empty if the source does not record them.
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
    std::int32_t m = -1, n = -1;  // tile coordinates, if any
    NodeId owner;                 // home node
    std::uint64_t address = 0;    // name in the source, on its owner
    std::string shape{};          // in StarPU's notation: "M960x960x8"; empty: unknown
    std::int32_t tag = -1;        // identifies the handle between nodes; negative: none
  };
  struct Message {  // between nodes
    NodeId from, to;
    double start_s, end_s;
    Bytes size;
    HandleId handle{};
    TaskId producer{}, consumer{};
    MemoryNodeId from_memory{}, to_memory{};  // none: the first of the node, its RAM
  };
  struct Copy {  // between memory nodes of one node
    MemoryNodeId from, to;
    double start_s, end_s;
    Bytes size;
    HandleId handle{};
  };
  struct Place {  // a replica in a memory node: in RAM (first NUMA node) tiles only, on a GPU all
    MemoryNodeId memory;
    HandleId handle;
    double start_s, end_s;  // allocation and release; unknown end: never released
  };
  struct Execution {  // of a task that was executed before
    TaskId task;
    WorkerId worker;
    double start_s, end_s;
  };
  struct State {  // activity of a worker besides tasks: "Idle", "FetchingInput", "Scheduling", ...
    WorkerId worker;
    std::uint16_t name;  // index into state_names
    double start_s, end_s;
  };

  std::string source;   // the file or directory
  std::string format;   // "starpu-rec", "starvz", "paje", "csv", "factosim"
  std::string program;  // that simulated it, with its version; empty: unknown
  std::vector<Node> nodes;
  std::vector<MemoryNode> memory_nodes;
  std::vector<Worker> workers;
  std::vector<Kernel> kernels;  // by the source's name; `timing` is this program's name ("gemm"), if known
  std::vector<Handle> handles;

  // One entry per task, in submission order if known, otherwise in order of start.
  std::vector<std::uint16_t> kernel;
  std::vector<WorkerId> worker;  // invalid: not executed by a worker
  std::vector<double> submit_s, start_s, end_s;
  std::vector<std::int32_t> priority;
  std::vector<TaskIndices> indices;         // empty: unknown
  std::vector<std::uint32_t> footprint;     // of the performance model; 0: unknown
  std::vector<std::uint32_t> access_begin;  // [tasks + 1] into accesses; empty: unknown
  std::vector<DataAccess> accesses;
  std::vector<std::uint32_t> predecessor_begin;  // [tasks + 1] into predecessors; empty: unknown
  std::vector<TaskId> predecessors;  // direct dependencies between tasks with a kernel, ascending, unique

  std::vector<Message> messages;
  std::vector<Copy> copies;
  bool has_message_memories = false;  // of `messages`
  bool has_places = false;            // `places` and `repeats` are known
  std::vector<Place> places;          // in order of allocation
  std::vector<Execution> repeats;     // executions of a task after its first: none in a correct run
  std::vector<std::string> state_names;
  std::vector<State> states;

  std::vector<Finding> findings;  // oddities and omissions reported by the reader

  // Recorded by some sources only and needed by writers of the same format; [tasks] each, or empty.
  std::vector<std::uint32_t> job;           // number in the source, within its node; 0: none
  std::vector<std::uint32_t> submit_order;  // within its node, from 1; 0: unknown
  std::vector<std::uint64_t> tag;
  std::vector<double> flops;      // of that one task; 0: unknown
  std::vector<bool> writes_back;  // as in TaskGraph: its outputs will not be used for a while

  std::vector<std::string> models;  // [kernels] their performance models; empty: the kernel's name

  /// A hint of the application: `handle` will not be used for a while.
  struct WontUse {
    NodeId node;
    HandleId handle;
    double submit_s;
    std::uint32_t job, submit_order;
  };
  std::vector<WontUse> wont_use;

  [[nodiscard]] std::size_t task_count() const { return kernel.size(); }
  /// Returns true if the task ran on a worker and both its dates are known.
  [[nodiscard]] bool ran(TaskId t) const {
    return worker[t.index()].valid() && !std::isnan(start_s[t.index()]) && !std::isnan(end_s[t.index()]);
  }
  /// Returns the node that executed the task; invalid if no worker did.
  [[nodiscard]] NodeId node_of(TaskId t) const {
    WorkerId const w = worker[t.index()];
    return w.valid() ? workers[w.index()].node : NodeId{};
  }
  /// Returns which memory nodes are those of a GPU. [memory nodes]
  [[nodiscard]] std::vector<bool> gpu_memories() const {
    std::vector<bool> out(memory_nodes.size(), false);
    for (Worker const& w : workers)
      if (w.device == Device::gpu && w.memory.valid()) out[w.memory.index()] = true;
    return out;
  }
  /// Empty if unknown, for all tasks alike.
  [[nodiscard]] std::span<DataAccess const> accesses_of(TaskId t) const {
    if (access_begin.empty()) return {};
    return {accesses.data() + access_begin[t.index()], accesses.data() + access_begin[t.index() + 1]};
  }
  [[nodiscard]] bool task_reads(TaskId t, HandleId handle) const {
    return std::ranges::any_of(accesses_of(t),
                               [&](DataAccess a) { return a.handle() == handle && reads(a.mode()); });
  }
  [[nodiscard]] std::span<TaskId const> predecessors_of(TaskId t) const {
    if (predecessor_begin.empty()) return {};
    return {predecessors.data() + predecessor_begin[t.index()],
            predecessors.data() + predecessor_begin[t.index() + 1]};
  }
};

/// Returns the order, in tiles, of the square matrix that the coordinates of the data of a trace or a graph of tasks
/// span; 0 without coordinates.
template <class Tasks>
[[nodiscard]] int matrix_tiles(Tasks const& tasks) {
  std::int32_t maximum = -1;
  for (auto const& handle : tasks.handles) maximum = std::max({maximum, handle.m, handle.n});
  return maximum + 1;
}

}  // namespace factosim
