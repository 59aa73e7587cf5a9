#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/processor_graph.hpp"

namespace factosim {

/// A processor graph from a file or a generator.
struct GraphPlatform {
  std::string source;  // the file, or a description of the random graph
  ProcessorGraph graph;
  bool estimate = false;
  std::string provenance;  // measured and assumed values
};

/// The keys of "graph" of a platform, and of a graph that is drawn.
[[nodiscard]] ObjectKeys const& graph_table();
[[nodiscard]] ObjectKeys const& random_graph_table();

/// Reads a `factosim-platform` file with the key "graph" strictly. A full-duplex link becomes two one-way links,
/// NAME and NAME:back. Throws InputError, also if no vertex computes or if a computing vertex cannot reach
/// another one.
GraphPlatform read_processor_graph(std::filesystem::path const& file);

/// Draws a connected graph by the keys of `json`: "processors", "routers", "extra_links" (besides a random
/// tree), "speed_per_s" and "bandwidth_Bps" ([minimum, maximum], uniform on a logarithmic scale), "seed"
/// (default: `seed`). Links are half-duplex and shared. Throws InputError.
GraphPlatform draw_processor_graph(JsonReader const& json, std::uint64_t seed);

/// Returns two computing vertices of which the first cannot reach the second; nothing if all reach each other.
std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_processors(ProcessorGraph const& graph);

}  // namespace factosim
