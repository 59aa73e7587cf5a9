#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// What a format without units means by its numbers.
struct GraphUnits {
  double seconds = 1;  // of a unit of time (STG, SAGA), or of an operation (DOT with sizes)
  double bytes = 1;    // of a unit of data (STG, SAGA, DOT)
};

// Readers of one format each. They throw InputError at a damaged file.

/// JSON lines of our own format (scenarios/graphs.md).
[[nodiscard]] TaskProgram read_graph_lines(std::filesystem::path const& file);
/// CSV tables of our own format: a table of tasks; data.csv and kernels.csv beside it are read too.
[[nodiscard]] TaskProgram read_graph_tables(std::filesystem::path const& tasks);
/// The table of a run (`export --format csv`), without its dates.
[[nodiscard]] TaskProgram read_trace_table(std::filesystem::path const& file);
/// WfFormat 1.3 to 1.5 (WfCommons), parsed.
[[nodiscard]] TaskProgram read_wfformat(std::filesystem::path const& file, nlohmann::json const& document);
/// SAGA's task graphs, with or without a network, which is left out.
[[nodiscard]] TaskProgram read_saga(std::filesystem::path const& file, nlohmann::json const& document,
                                    GraphUnits units);
/// Kasahara's Standard Task Graph Set, also with costs of communication.
[[nodiscard]] TaskProgram read_stg(std::filesystem::path const& file, GraphUnits units);
/// DOT of StarPU (dag.dot), PaRSEC (a file for each rank), factosim, and with sizes as SimGrid's and daggen's.
[[nodiscard]] TaskProgram read_dot(std::vector<std::filesystem::path> const& files, GraphUnits units);
/// StarPU's tasks.rec, without its times, and dag.dot, if there is one, whose edges are added.
[[nodiscard]] TaskProgram read_starpu_program(std::filesystem::path const& tasks,
                                              std::filesystem::path const& dag);

/// The folder of StarVZ's first phase (rec.tasks.csv, dag.csv), without times.
[[nodiscard]] TaskProgram read_starvz_program(std::filesystem::path const& folder);

}  // namespace factosim
