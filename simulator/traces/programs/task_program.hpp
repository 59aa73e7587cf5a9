#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

/// Duration of a kernel on a kind of worker, for tasks of weight 1.
struct ProgramTiming {
  std::uint32_t kernel = 0;  // index into TaskGraph::kernels
  std::string worker;        // "cpu", "cuda" (each GPU that has no timing of its own), "cuda0"
  double seconds = 0;        // above 0
};

/// What a recorder says of a kernel.
struct RecordedKernel {
  std::string symbol{}, codelet{};           // of StarPU's performance model, of its codelet; empty: none
  std::optional<std::uint32_t> footprint{};  // StarPU's hash of the shapes of a task's data
  std::vector<std::string> devices{};        // that have an implementation: "cpu", "cuda"; empty: unknown
  Bytes size{};                              // of the data of a task
  double deviation_s = 0;                    // of its durations in the file
  long samples = 0;

  [[nodiscard]] bool has_gpu_code() const {
    return std::ranges::any_of(devices, [](std::string const& d) { return d == "cuda" || d == "hip"; });
  }
};

/// What version 2 of our own format says of a program beyond its graph.
struct RecordedProgram {
  bool is_there = false;                                         // the file has such keys
  nlohmann::ordered_json provenance{};                           // of the recording; null: none
  std::map<std::string, RecordedKernel, std::less<>> kernels{};  // by name
  /// Sorted: before that task, the copies of the datum are dropped on nodes that received it.
  std::vector<std::pair<TaskId, HandleId>> flushes{};
  std::vector<std::pair<TaskId, TaskId>>
      waits{};  // dependencies by waits of the host: (before, after), of one node
};

/// A program of tasks without a schedule, as a file states it.
struct TaskProgram {
  std::string source;           // path of the file
  std::string format;           // name of its reader
  std::string name;             // in the file; may be empty
  TaskGraph graph;              // in submission order, not placed; weights where the file has durations
  std::vector<std::string> id;  // [tasks] in the file
  std::vector<ProgramTiming> timings{};
  std::vector<NodeId> node_of_task{};  // [tasks] where it runs, by the file; empty or invalid: not said
  /// Dependencies that the file states beyond those of the accesses and of waits, by predecessor: (before, after).
  std::vector<std::pair<TaskId, TaskId>> explicit_edges{};
  /// What selects timings of kernel files: the application that they were measured inside, precision and tile size.
  std::string application{};
  std::optional<Precision> precision{};
  std::optional<int> nb{};
  std::vector<Finding> findings{};
  RecordedProgram recorded{};

  /// Returns whether all tasks last as long as the file states: it may be that they take no time.
  [[nodiscard]] bool has_durations() const {
    return !timings.empty() || std::ranges::all_of(graph.kernels, &Kernel::is_free);
  }
};

/// How the tasks of a graph file are timed and placed.
struct GraphOptions {
  enum class Durations : std::uint8_t {
    file,     // those that the file states
    platform  // by the platform's kernel files
  };
  enum class Placement : std::uint8_t {
    distribution,  // on the node that owns the first datum that the task writes, by the scenario's distribution
    file,          // on its node in the file; without one, by the owners
    owners,        // on the node that owns the first datum that the task writes, by the file
    earliest_finish  // on the node where it is expected to end first (list scheduling over the nodes)
  };
  Durations durations = Durations::file;
  Placement placement = Placement::owners;
  std::string application{};  // that timings of kernel files were measured inside; empty: any
  Precision precision = Precision::double_;
  int nb = 1;  // tile size that selects timings
};

/// A scenario's `"application": {"type": "graph", ...}`.
struct GraphApplication {
  std::shared_ptr<TaskProgram const> program;  // null: the graph comes from another program, not from a file
  GraphOptions options;
};

/// Writes a program as JSON lines of our own format (scenarios/graphs.md); the owners of its data are those of its
/// handles. Of a program of version 2, the lines of its file. Throws InputError if the file cannot be written; it appears
/// complete or not at all.
void write_graph_lines(std::filesystem::path const& file, TaskProgram const& program);

/// Writes the same as tasks.csv, data.csv and kernels.csv in a folder, which exists. Tables have no head: the scenario
/// says the application, precision and tile size whose timings count. Throws InputError for a program of version 2, for
/// whose keys tables have no place.
void write_graph_tables(std::filesystem::path const& folder, TaskProgram const& program);

}  // namespace factosim
