#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

/// A program of tasks without a schedule, as a file states it.
struct TaskProgram {
  std::string source;           // path of the file
  std::string format;           // name of its reader
  std::string name;             // in the file; may be empty
  TaskGraph graph;              // in submission order, not placed; weights where the file has durations
  std::vector<std::string> id;  // [tasks] in the file
  std::vector<ProgramTiming> timings{};
  std::vector<NodeId> node_of_task{};  // [tasks] where it runs, by the file; empty or invalid: not said
  /// Dependencies that the file states beyond those of the accesses, by predecessor: (before, after).
  std::vector<std::pair<TaskId, TaskId>> explicit_edges{};
  /// What selects timings of kernel files: the application that they were measured inside, precision and tile size.
  std::string application{};
  std::optional<Precision> precision{};
  std::optional<int> nb{};
  std::vector<Finding> findings{};

  [[nodiscard]] bool has_durations() const { return !timings.empty(); }
};

}  // namespace factosim
