#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// A format of programs of tasks.
struct GraphFormat {
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] std::vector<GraphFormat> const& graph_formats();

/// Reads a program of tasks: a file, or a folder with tasks.rec, dag.dot, tasks.csv or a DOT file for each rank. An empty
/// format is found by the contents. Throws InputError if the file is damaged or of no known format.
[[nodiscard]] TaskProgram read_graph(std::filesystem::path const& path, std::string_view format = {},
                                     GraphUnits units = {});

}  // namespace factosim
