#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/audit/rules/audited_run.hpp"
#include "simulator/audit/rules/routes.hpp"
#include "simulator/base/core/compressed_rows.hpp"

namespace factosim::audit {

/// Workers of the platform's nodes and kernel durations on them, derived from the descriptions alone: GPUs
/// first, then the cores that neither drive a GPU nor handle messages nor are reserved.
class ExpectedMachine {
 public:
  struct Worker {
    std::string name;
    std::size_t memory;        // within the node: RAM or NUMA nodes, then GPUs
    bool gpu, spare;           // spare: one more worker than cores
    std::size_t socket = 0;    // within the node, of a core
    bool shares_core = false;  // with the communication thread
    std::size_t device = 0;    // number of its GPU
    bool further = false;      // not the first worker of its GPU
  };

  struct OnWorker {                        // of a kernel
    double capped = 1;                     // factor of its durations by the power cap of the worker
    double busy_W = 0;                     // above idle while it runs
    KernelTiming const* timing = nullptr;  // null: it cannot run there or takes no time
    double mean_s = 0;                     // infinite: it cannot run there
    double least_s = 0;                    // the same where the cores slow it down least
    double part = 1;  // of its GPU, that it uses alone; 1 on a core, and where GPUs are shared equally
  };

  explicit ExpectedMachine(AuditedRun const& run);

  [[nodiscard]] std::vector<Worker> const& workers(NodeId node) const {
    return types_[run_.platform.nodes[node.index()]].workers;
  }
  /// What a kernel does on a worker of the node.
  [[nodiscard]] OnWorker const& on(NodeId node, std::size_t kernel, std::size_t worker) const {
    return type(node).on[kernel * type(node).workers.size() + worker];
  }
  /// Duration of a task on the fastest worker of the node, where the cores slow it down least.
  [[nodiscard]] double min_s(NodeId node, std::size_t task) const;
  /// Factor of the durations of the task's kernel on that worker.
  [[nodiscard]] double weight(NodeId node, std::size_t task, std::size_t worker) const;

 private:
  struct Type {
    std::vector<Worker> workers;
    std::vector<OnWorker> on;  // [kernels][workers]
  };
  [[nodiscard]] Type const& type(NodeId node) const { return types_[run_.platform.nodes[node.index()]]; }
  void add_workers(Type& type, NodeType const& described) const;
  [[nodiscard]] static OnWorker powered(Kernel const& kernel, Worker const& worker,
                                        NodeType const& described);
  /// `model`: null: a recorded run has the durations.
  void add_kernels(Type& type, NodeType const& described, KernelModel const* model) const;
  void add_parts(Type& type, KernelModel const& model) const;

  AuditedRun const& run_;
  std::vector<Type> types_;
};

/// Common data of all checks: the run, the home node of each task, and the platform's workers.
class RunView {
 public:
  explicit RunView(AuditedRun const& run);

  AuditedRun const& run;
  ExpectedMachine machine;
  Routes routes;
  std::vector<NodeId> home;  // [tasks] owner of the data that the task writes; none: no owner
  /// Each duration, cost and latency of a run is rounded to whole ticks of the simulator's clock, and is at least one:
  /// it is off by at most this.
  double tick_s;
  /// Dates that differ by less are equal: SimGrid's precision is 1 ns, and transfers that end within 10 ticks end
  /// together.
  static constexpr double ticks_per_tie = 16;
  double tie_s;
  /// The trace's tasks correspond one to one to those of the application, and its workers to the platform;
  /// other checks need this.
  bool aligned = false;

  [[nodiscard]] bool ran(std::size_t task) const { return aligned && ran_[task]; }
  [[nodiscard]] double start_s(std::size_t task) const { return run.trace->start_s[task]; }
  [[nodiscard]] double end_s(std::size_t task) const { return run.trace->end_s[task]; }
  [[nodiscard]] Trace::Worker const& worker(std::size_t task) const {
    return run.trace->workers[run.trace->worker[task].index()];
  }
  /// Node that executed the task.
  [[nodiscard]] NodeId node(std::size_t task) const { return worker(task).node; }
  /// Number of its worker within the node.
  [[nodiscard]] std::size_t local_worker(std::size_t task) const {
    return run.trace->worker[task].index() - first_worker_[node(task).index()];
  }
  /// What its kernel does there.
  [[nodiscard]] ExpectedMachine::OnWorker const& on_worker(std::size_t task) const {
    return machine.on(node(task), run.graph.kernel[task], local_worker(task));
  }
  [[nodiscard]] std::size_t local_memory(MemoryNodeId memory) const {
    return memory.index() - routes.first_memory(run.trace->memory_nodes[memory.index()].node);
  }
  [[nodiscard]] bool is_gpu_memory(MemoryNodeId memory) const {
    NodeType const& type = run.platform.type_of(memory_owner(memory));
    return local_memory(memory) >= type.ram_count() && !type.is_disk(local_memory(memory));
  }
  [[nodiscard]] bool is_disk(MemoryNodeId memory) const {
    return run.platform.type_of(memory_owner(memory)).is_disk(local_memory(memory));
  }
  /// Returns whether copies in RAM of that memory's node are allocated and evicted.
  [[nodiscard]] bool out_of_core(MemoryNodeId memory) const {
    return run.platform.type_of(memory_owner(memory)).out_of_core;
  }
  [[nodiscard]] NodeId memory_owner(MemoryNodeId memory) const {
    return run.trace->memory_nodes[memory.index()].node;
  }
  /// The memories of a message: the first of its nodes unless the trace says so.
  [[nodiscard]] MemoryNodeId memory_of(MemoryNodeId recorded, NodeId node) const {
    return recorded.valid() ? recorded : ram_of(node);
  }
  [[nodiscard]] Routes::Route route_of(Trace::Message const& m) const {
    return routes.between(m.from, m.to, local_memory(memory_of(m.from_memory, m.from)),
                          local_memory(memory_of(m.to_memory, m.to)));
  }
  /// Returns the messages sorted by sender, receiver, end and start.
  [[nodiscard]] std::vector<Trace::Message> messages_by_pair() const;
  /// Bytes that a message takes on its links.
  [[nodiscard]] Bytes carried(Bytes size) const { return run.platform.network.efficiency.carried(size); }
  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const { return MemoryNodeId{routes.first_memory(node)}; }
  /// Returns whether the trace records allocations in that memory.
  [[nodiscard]] bool has_places(MemoryNodeId memory) const {
    return run.trace->has_places &&
           (is_gpu_memory(memory) || local_memory(memory) == 0 || out_of_core(memory));
  }

  /// "task 12 gemm (2, 3, 4)", with "on 0:cuda1" if it was executed.
  [[nodiscard]] std::string name_of_task(std::size_t task) const;
  /// "tile (2, 3)", "1:cuda0".
  [[nodiscard]] std::string name_of_handle(HandleId handle) const;
  [[nodiscard]] std::string name_of_memory(MemoryNodeId memory) const;

 private:
  std::vector<char> ran_;                  // [tasks]
  std::vector<std::size_t> first_worker_;  // [nodes]
  friend void check_tasks(RunView&, class AuditReport&);
};

/// How long each task would have lasted with its worker's device for itself, and for how long it drew the power of the device.
/// Of the kernels that run on one GPU at once, each has the part that it uses alone (`ExpectedMachine::part`), up to the level
/// at which the GPU is full. Between two starts or ends of kernels, one progresses by the part that it has over the one that it
/// uses alone, and draws power by the part that it has over those that all have.
class GpuTime {
 public:
  explicit GpuTime(RunView const& view);

  [[nodiscard]] double alone_s(std::size_t task) const { return alone_s_[task]; }
  [[nodiscard]] double drawn_s(std::size_t task) const { return drawn_s_[task]; }

 private:
  struct Running {
    std::uint32_t task;
    double part;
  };
  void pass(double seconds, std::span<Running const> by_part);

  std::vector<double> alone_s_, drawn_s_;  // [tasks]
};

/// Requirements of the application's accesses, in submission order, on any run: the version of its data that
/// each task reads, the tasks it waits for, and the data sent between nodes. A version is identified by the
/// task that wrote it.
///
/// A reader waits for the writer of its data. On one node, where tasks share one copy, a writer also waits
/// for the tasks that read or wrote the data it overwrites; between nodes it does not, since they have
/// separate copies.
struct DataFlow {
  static constexpr std::uint32_t initial = TaskId::none;  // the version before any task
  static constexpr std::uint32_t none = TaskId::none - 1;

  struct Use {  // one access
    std::uint32_t task;
    std::uint32_t reads = none;  // version; none: not a read
    // previous version on its node; none: not a write, or no previous version
    std::uint32_t overwrites = none;
    bool writes = false;
  };
  struct Message {  // a version that a node needs, and the number of times: once more after each flush
    HandleId handle;
    std::uint32_t version;
    NodeId to;
    std::uint32_t consumer;  // the first reader
  };
  struct Edge {
    std::uint32_t before, after;  // tasks
  };

  std::vector<std::uint32_t> first_use;  // [handles + 1] into uses
  std::vector<Use> uses;                 // [accesses] sorted by handle, then by submission order
  std::vector<Message> messages;
  std::vector<Edge> edges;  // unsorted; may contain duplicates
};

/// Indices of records by handle; stable.
template <class Record>
[[nodiscard]] CompressedRows<std::uint32_t> rows_by_handle(std::vector<Record> const& records,
                                                           std::size_t handles) {
  return collect_rows<std::uint32_t>(handles, [&](auto const& use) {
    for (std::uint32_t i = 0; i < records.size(); ++i)
      if (records[i].handle.valid()) use(records[i].handle.index(), i);
  });
}

/// O(accesses log nodes).
[[nodiscard]] DataFlow data_flow(TaskGraph const& graph, std::vector<NodeId> const& home);

}  // namespace factosim::audit
