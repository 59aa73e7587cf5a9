#pragma once

#include <cstddef>
#include <cstdint>

namespace factosim {

/// Maximum values of a platform's description. Larger values are mistakes that would cost much memory.
constexpr std::size_t max_nodes = 1'000'000;                // of a platform
constexpr int max_cores = 100'000;                          // of a node
constexpr std::int64_t max_bytes = std::int64_t{1} << 60U;  // of a memory; fractions of it remain integers
constexpr std::size_t max_gpus = 256;                       // of a node; each pair of them has a route

}  // namespace factosim
