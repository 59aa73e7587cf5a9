#pragma once

#include "factosim/platform.hpp"

namespace factosim {

/// Keeps the first `count` GPUs of a machine (all if it has fewer) and removes the others and their routes.
void keep_gpus(NodeType& type, std::size_t count);

/// What a policy believes about copies to and from a disk.
enum class DiskPrediction {
  rates,  // the disk's own bandwidths and latencies
  free    // they take no time, as StarPU believes in simulation
};

/// Makes the disk of the node type its last memory node, with a route from and to each of its RAMs.
void add_disk_memory(NodeType& type, DiskPrediction prediction);

}  // namespace factosim
