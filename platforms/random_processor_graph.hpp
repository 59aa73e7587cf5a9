#pragma once

#include <cstdint>

#include "simulator/base/core/processor_graph.hpp"

namespace factosim {

struct RandomGraphOptions {
  int processors = 8;
  int routers = 0;
  int extra_links = 0;                              // in addition to a random tree; may be parallel
  double min_speed = 1, max_speed = 10;             // units of work per second
  double min_bandwidth = 1e6, max_bandwidth = 1e7;  // bytes per second
  int one_way_percent = 0;                          // percentage of links replaced by a pair of one-way links
  int backbone_percent = 0;                         // percentage of links that are not shared
};

/// Draws a connected graph: a tree over the vertices in random order, so that routers and processors are equally
/// likely inside, and links between random pairs. Speeds and bandwidths are uniform on a logarithmic scale. Links
/// are half-duplex. A seed gives the same graph on every machine.
ProcessorGraph random_processor_graph(RandomGraphOptions const& options, std::uint64_t seed);

}  // namespace factosim
