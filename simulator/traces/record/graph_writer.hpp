#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "simulator/traces/record/recorder.hpp"

namespace factosim::record {

/// Writes a recorded program as a graph of version 2 (scenarios/graphs.md), complete or not at all; compressed if the name
/// ends in .gz. `head`: the value of "recorded". Throws InputError.
void write_graph(std::filesystem::path const& file, std::string const& name,
                 nlohmann::ordered_json const& head, Recorder const& recorder);

/// Returns the names of the kernels in the graph: [kernels]. That of the symbol, with the footprint if it has several.
[[nodiscard]] std::vector<std::string> kernel_names(Recorder const& recorder);

}  // namespace factosim::record
