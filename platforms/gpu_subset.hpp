#pragma once

#include "factosim/platform.hpp"

namespace factosim {

/// The machine with its first `count` GPUs only (all if it has fewer): the others, and their routes, are left
/// out.
void keep_gpus(NodeType& type, std::size_t count);

}  // namespace factosim
