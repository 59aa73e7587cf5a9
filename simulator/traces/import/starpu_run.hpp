#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns whether a state of a worker is a task of the application: not one of the runtime system ("Idle", ...), and not a
/// task that StarPU submits itself.
[[nodiscard]] bool is_task_state(std::string_view state);

/// A task as StarPU's traces record it (StarPU: job), or work of the runtime system itself, without times.
struct StarpuTask {
  static constexpr std::uint16_t no_kernel = 0xffff;

  TaskName name;
  std::uint16_t kernel = no_kernel;  // index into StarpuRun::kernels
  std::int32_t worker = -1;          // within its node
  std::int32_t memory = -1;          // within its node
  std::int32_t priority = 0;
  std::int32_t iteration = -1;  // outermost
  std::int32_t x = -1, y = -1;  // coordinates of the tile
  std::uint32_t submit_order = 0;
  std::uint32_t footprint = 0;
  std::uint64_t tag = 0;
  double submit_s = unknown, start_s = unknown, end_s = unknown;
  double flops = 0;
  int line = 0;                                          // of StarpuRun::tasks_file, where its record ends
  std::uint32_t first_access = 0, accesses = 0;          // index into StarpuRun::accesses
  std::uint32_t first_dependency = 0, dependencies = 0;  // index into StarpuRun::dependencies

  /// Returns whether a worker executed it.
  [[nodiscard]] bool timed() const { return start_s == start_s && end_s == end_s && kernel != no_kernel; }
};

/// The parsed name of a worker or another container of a node: "0_CUDA1_0" is worker "cuda1" on node 0.
/// Streams of one GPU beyond the first are workers of their own ("cuda1_1"). Case is ignored.
struct ResourceName {
  std::uint32_t node = 0;
  std::string worker;        // "cpu3", "cuda1"; empty: not a worker
  std::string after_node;    // "odd" of "3_odd"; empty: no node in front
  std::int32_t memory = -1;  // of MEMMANAGERn; negative: none
  Trace::Device device = Trace::Device::cpu;
};
[[nodiscard]] ResourceName resource_name(std::string_view text);

/// Contents of the files of one StarPU run, with the ids of the source. Readers of its formats append tasks
/// in any order; `assemble` converts it to a Trace.
struct StarpuRun {
  struct Access {
    std::uint64_t address;
    std::int64_t size;  // negative: unknown
    std::uint8_t mode;  // of Access, `reduces` and `commutes`; 0: scratch, private to the task
  };
  struct Handle {
    std::uint32_t node;
    std::uint64_t address;
    std::int64_t size = -1;  // negative: unknown
    std::int64_t tag = -1;   // between nodes; negative: none
    std::int32_t owner = -1, m = -1, n = -1;
    std::string shape;
  };
  struct Message {
    std::uint32_t from = NodeId::none, to = NodeId::none;
    double send_s = unknown, receive_s = unknown;
    std::int64_t size = -1;
    std::int64_t tag = -1;
    std::uint64_t send_address = 0, receive_address = 0;
    std::uint32_t send_task = 0, receive_task = 0;  // 0: not recorded
  };
  struct Copy {
    std::uint32_t node;
    std::int32_t from, to;  // memory nodes
    double start_s, end_s;
    std::int64_t size;
  };
  struct WontUse {
    TaskName name;
    std::uint32_t submit_order;
    double submit_s;
    std::uint64_t address;
  };
  /// State of a worker, with the worker's name in the source: 0_CPU3, CUDA0_0.
  struct State {
    std::uint32_t resource;  // index into resources
    std::uint16_t name;      // index into state_names
    double start_s, end_s;
  };

  std::string source, format;
  std::string tasks_file;  // that lists the tasks
  std::vector<StarpuTask> tasks;
  std::vector<std::string> kernels;
  std::vector<std::string> models;  // [kernels] from the first task that names one; may be shorter
  std::vector<Access> accesses;
  std::vector<std::uint64_t> dependencies;  // keys of the tasks that a task waits for
  std::vector<std::pair<std::uint64_t, std::uint64_t>> further_dependencies;  // (task, predecessor)
  std::vector<Handle> handles;
  std::vector<Message> messages;
  std::vector<Copy> copies;
  std::vector<WontUse> wont_use;
  std::vector<std::string> resources;
  std::vector<ResourceName> resource_names;  // [resources]
  // of nodes whose names are more than their numbers
  std::unordered_map<std::uint32_t, std::string> node_names;
  std::vector<std::string> state_names;
  std::vector<State> states;
  // (node, worker) -> index into resources
  std::unordered_map<std::uint64_t, std::uint32_t> resource_of_worker;
  std::vector<Finding> findings;

  /// Returns the number of a name; appends new names. Throws InputError at the reader's line beyond 65 000
  /// names. Tasks of the runtime system itself have no kernel.
  std::uint16_t kernel(LineReader const& at, std::string_view name);
  std::uint16_t state_name(LineReader const& at, std::string_view name);
  std::uint32_t resource(LineReader const& at, std::string_view name);
  /// Returns the resource of a worker by its name on its node, or in a source without nodes. One with gpu, cuda or hip
  /// in its name is a GPU.
  std::uint32_t worker_resource(LineReader const& at, std::string_view worker,
                                std::optional<std::uint32_t> node);
  /// Records the name of a worker of a node.
  void name_worker(std::uint32_t node, std::int32_t worker, std::uint32_t resource_id) {
    resource_of_worker.try_emplace(std::uint64_t{node} << 32U | static_cast<std::uint32_t>(worker),
                                   resource_id);
  }
  /// Appends a task that was read at the reader's line.
  void add(LineReader const& at, StarpuTask task) {
    if (tasks.empty()) tasks_file = at.file();
    task.line = at.line_number();
    tasks.push_back(task);
  }
  /// Records the shape of a datum of a node, by the first task that tells it.
  void add_shape(std::uint32_t node, std::uint64_t address, std::int64_t size, std::string_view shape);
  void find(std::string message) { findings.push_back({source, 0, std::move(message)}); }

 private:
  std::unordered_map<std::string, std::uint32_t> kernel_ids_, state_ids_, resource_ids_;
  std::unordered_set<std::uint64_t> shaped_;  // data with known shape
};

/// Converts a run to a trace: tasks without times are contracted (their successors wait for their
/// predecessors), the names that nodes use for one datum become one handle, and messages are connected to the
/// tasks that wrote and read their data. Tasks are in submission order. Throws InputError if a task is
/// recorded twice or no task was executed. O((tasks + dependencies + accesses) log), plus one edge for each
/// pair of predecessor and successor of a contracted task.
[[nodiscard]] Trace assemble(StarpuRun&& run);

// What readers of traces and of programs share. They throw InputError at a malformed line.

/// Reads tasks.rec, and data.rec beside it.
[[nodiscard]] StarpuRun read_starpu_records(std::filesystem::path const& tasks);

/// Reads a directory of CSV files written by StarVZ's first phase, each plain or gzipped: rec.tasks.csv,
/// rec.data_handles.csv, rec.comms.csv, dag.csv, paje.worker_state.csv, paje.link.csv. Either rec.tasks.csv
/// or paje.worker_state.csv must exist. Dependencies come from the tasks, otherwise from dag.csv; messages
/// from rec.comms.csv, otherwise from paje.link.csv.
[[nodiscard]] StarpuRun read_starvz_directory(std::filesystem::path const& folder);
/// Returns whether the folder contains rec.tasks.csv or paje.worker_state.csv, plain or gzipped.
[[nodiscard]] bool is_starvz_directory(std::filesystem::path const& folder);

/// Reads a Paje trace of StarPU, SimGrid or this program, with its lines in any order of time. In traces of
/// StarPU, tasks are the states with a JobId; in others, all states of workers except those of the runtime
/// system ("Idle", ...). Links between nodes are messages, links between memory managers of one node are
/// copies. If the run contains tasks already (from tasks.rec), the trace adds only the names of their workers,
/// states and copies. O(events log events) time, 40 bytes per event.
void add_paje(std::filesystem::path const& file, StarpuRun& run);

}  // namespace factosim
