#pragma once

#include "factosim/platform.hpp"

namespace factosim {

/// Keeps the first `count` GPUs of a machine (all if it has fewer) and removes the others and their routes.
void keep_gpus(NodeType& type, std::size_t count);

}  // namespace factosim
