#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "simulator/traces/record/recorder.hpp"

namespace factosim::record {

/// Writes a recorded program as a graph of version 2 (scenarios/graphs.md), complete or not at all; compressed if the name
/// ends in .gz. `head`: the value of "recorded"; `names`: those of the kernels. Throws InputError.
void write_graph(std::filesystem::path const& file, std::string const& name,
                 nlohmann::ordered_json const& head, Recorder const& recorder,
                 std::vector<std::string> names);

/// Returns the names of the kernels in the graph: [kernels]. That of the symbol, with the footprint if it has several; of OpenMP
/// that of the function by addr2line, without it its place.
[[nodiscard]] std::vector<std::string> kernel_names(Recorder const& recorder);

}  // namespace factosim::record
