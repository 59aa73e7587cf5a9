#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/processor_graph.hpp"

namespace factosim {

/// A processor graph from a file or a generator.
struct GraphPlatform {
  std::string source;  // the file, or a description of the random graph
  ProcessorGraph graph;
  bool estimate = false;
  std::string provenance;  // measured and assumed values
};

/// The keys of "graph" of a platform.
[[nodiscard]] Object<GraphPlatform> const& object_of(GraphPlatform const* any);

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

struct RandomGraphOptions {
  int processors = 8;
  int routers = 0;
  int extra_links = 0;                              // in addition to a random tree; may be parallel
  double min_speed = 1, max_speed = 10;             // units of work per second
  double min_bandwidth = 1e6, max_bandwidth = 1e7;  // bytes per second
  int one_way_percent = 0;                          // percentage of links replaced by a pair of one-way links
  int backbone_percent = 0;                         // percentage of links that are not shared
};

/// The keys of a graph that is drawn.
[[nodiscard]] Object<RandomGraphOptions> const& object_of(RandomGraphOptions const* any);

/// Draws a connected graph: a tree over the vertices in random order, so that routers and processors are equally
/// likely inside, and links between random pairs. Speeds and bandwidths are uniform on a logarithmic scale. Links
/// are half-duplex. A seed gives the same graph on every machine.
ProcessorGraph random_processor_graph(RandomGraphOptions const& options, std::uint64_t seed);

}  // namespace factosim
