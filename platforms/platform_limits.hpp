#pragma once

#include <cstddef>
#include <cstdint>

namespace factosim {

/// What a description of a platform may hold: more is a mistake, and would cost memory that no input
/// explains.
constexpr std::size_t max_nodes = 1'000'000;                // of a platform
constexpr int max_cores = 100'000;                          // of a node
constexpr std::int64_t max_bytes = std::int64_t{1} << 60U;  // of a memory; fractions of it stay integers
constexpr std::size_t max_gpus = 256;                       // of a node; each pair of them has a route

}  // namespace factosim
