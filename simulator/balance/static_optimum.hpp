#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/balance/balancer.hpp"

namespace factosim {

/// Seconds that one worker needs for a block of so many chunks, its transfers included, when it has the
/// network to itself; grows with the block.
using TrueBlockTime = std::function<double(std::int64_t chunks)>;

/// What could be done by somebody who knows all curves: whole chunks, all workers end by `makespan`.
struct StaticOptimum {
  Seconds makespan;
  std::vector<std::vector<std::int64_t>> blocks;  // [workers], each one's one after the other
};

/// Equal finish times with the true curves: the least makespan over all splits into whole chunks, where each
/// worker gets one block, or several (nearly) equal ones where that is faster, as with caches. No balancer
/// can beat it but by the luck of noise, or where unequal blocks suit a curve better. O(P log(chunks) log(1
/// / eps)) evaluations.
[[nodiscard]] StaticOptimum static_optimum(std::span<TrueBlockTime const> workers, std::int64_t chunks);

/// Hands out blocks that were decided beforehand. What a lost worker leaves is handed out in small equal
/// blocks.
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
