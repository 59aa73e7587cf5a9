#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

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

}  // namespace factosim
