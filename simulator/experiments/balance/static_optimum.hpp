#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Seconds that one worker needs for a block of that many chunks, including its transfers over an idle
/// network. Increases with the block.
using TrueBlockTime = std::function<double(std::int64_t chunks)>;

/// The optimum for known curves: blocks of whole chunks with which all workers end by `makespan`.
struct StaticOptimum {
  Seconds makespan;
  std::vector<std::vector<std::int64_t>> blocks;  // [workers] chunks of its blocks, in order
};

/// Computes the minimum makespan over all splits into whole chunks with the true curves. Each worker gets one
/// block, or several (nearly) equal ones if that is faster, for instance because of caches. A balancer can
/// only be faster by favourable noise, or if unequal blocks suit a curve better. O(P log(chunks) log(1 /
/// eps)) evaluations.
[[nodiscard]] StaticOptimum static_optimum(std::span<TrueBlockTime const> workers, std::int64_t chunks);

}  // namespace factosim
