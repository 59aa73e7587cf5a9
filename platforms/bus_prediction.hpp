#pragma once

#include <cstddef>

#include "factosim/platform.hpp"

namespace factosim {

struct CopyPrediction {
  BytesPerSecond bandwidth;
  Seconds latency;
};

/// What a lone copy between two memory nodes of a bus gets: the slowest link of its route (a link crossed
/// twice gives half) and the latencies summed; through the RAM, one copy after the other, where no route is
/// direct. For buses whose measurements are missing.
CopyPrediction predict_from_routes(Bus const& bus, std::size_t memory_nodes, std::size_t from,
                                   std::size_t to);

}  // namespace factosim
