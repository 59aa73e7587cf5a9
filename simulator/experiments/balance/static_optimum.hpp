#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/experiments/balance/balancer.hpp"

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

/// Hands out blocks that were planned before the run. The chunks of a lost worker are handed out in small
/// equal blocks.
class StaticBalancer final : public Balancer {
 public:
  explicit StaticBalancer(std::vector<std::vector<std::int64_t>> blocks)
      : blocks_(std::move(blocks)), next_(blocks_.size(), 0) {}

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override;
  void worker_lost(WorkerId worker, std::int64_t returned, Seconds now) override;

 private:
  std::vector<std::vector<std::int64_t>> blocks_;
  std::vector<std::size_t> next_;  // [workers]
  std::int64_t unplanned_ = 0;     // chunks of lost workers
};

}  // namespace factosim
