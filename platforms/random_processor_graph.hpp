#pragma once

#include <cstdint>

#include "simulator/graph/processor_graph.hpp"

namespace factosim {

struct RandomGraphOptions {
  int processors = 8;
  int routers = 0;
  int extra_links = 0;                              // besides those of a random tree; may be parallel
  double min_speed = 1, max_speed = 10;             // units of work per second
  double min_bandwidth = 1e6, max_bandwidth = 1e7;  // bytes per second
  int one_way_percent = 0;                          // of links that are a pair of one-way links instead
  int backbone_percent = 0;                         // of links that are not shared
};

/// A connected graph: a tree over the vertices in a random order, so that routers are as likely inside as
/// processors, and links between random pairs. Speeds and bandwidths are even on a logarithmic scale. Links
/// are half-duplex. The same for a seed on every machine.
ProcessorGraph random_processor_graph(RandomGraphOptions const& options, std::uint64_t seed);

}  // namespace factosim
