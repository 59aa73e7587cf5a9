#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "simulator/core/json_reader.hpp"
#include "simulator/graph/processor_graph.hpp"

namespace factosim {

/// A platform where messages may take any way, as a file or a generator describes it.
struct GraphPlatform {
  std::string source;  // the file, or what was drawn
  ProcessorGraph graph;
  bool estimate = false;
  std::string provenance;  // what is measured, what is assumed
};

/// Reads a `factosim-platform` file with the key "graph" strictly. A full-duplex link becomes two one-way
/// links, NAME and NAME:back. Throws InputError, also where no vertex computes or where one that does cannot
/// be reached from another one.
GraphPlatform read_processor_graph(std::filesystem::path const& file);

/// Draws a connected graph by the keys of `json`: "processors", "routers", "extra_links" (besides a random
/// tree), "speed_per_s" and "bandwidth_Bps" ([least, most], drawn evenly on a logarithmic scale), "seed"
/// (default: `seed`). Links are half-duplex and shared. Throws InputError.
GraphPlatform draw_processor_graph(JsonReader const& json, std::uint64_t seed);

}  // namespace factosim
