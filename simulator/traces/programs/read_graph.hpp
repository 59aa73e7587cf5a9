#pragma once

#include <filesystem>
#include <string_view>

#include "simulator/traces/programs/graph_readers.hpp"

namespace factosim {

/// Reads a program of tasks: a file, or a folder with tasks.rec, dag.dot, tasks.csv or a DOT file for each rank. An empty
/// format is found by the contents. Throws InputError if the file is damaged or of no known format.
[[nodiscard]] TaskProgram read_graph(std::filesystem::path const& path, std::string_view format = {},
                                     GraphUnits units = {});

}  // namespace factosim
