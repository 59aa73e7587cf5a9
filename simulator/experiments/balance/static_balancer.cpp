#include <algorithm>
#include <vector>

#include "simulator/experiments/balance/balancers.hpp"

namespace factosim {

namespace {

/// Hands out blocks that were planned before the run. The chunks of a lost worker are handed out in small
/// equal blocks.
class StaticBalancer final : public Balancer {
 public:
  explicit StaticBalancer(BalancerRequest const& r) : blocks_(r.optimum.blocks), next_(blocks_.size(), 0) {}

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override {
    auto const& own = blocks_[worker.index()];
    std::size_t& next = next_[worker.index()];
    BlockOrder order{.chunks = 0, .phase = BalancePhase::main, .step = static_cast<std::uint32_t>(next)};
    if (next < own.size()) {
      order.chunks = std::min(own[next++], pool.left);
    } else if (unplanned_ > 0) {
      constexpr std::int64_t pieces = 16;
      order.chunks = std::min(std::max<std::int64_t>(1, unplanned_ / pieces), pool.left);
      order.phase = BalancePhase::final;
      unplanned_ -= order.chunks;
    }
    return order;
  }

  void worker_lost(WorkerId worker, std::int64_t returned, Seconds /*now*/) override {
    unplanned_ += returned;
    auto const& own = blocks_[worker.index()];
    for (std::size_t& next = next_[worker.index()]; next < own.size(); ++next) unplanned_ += own[next];
  }

 private:
  std::vector<std::vector<std::int64_t>> blocks_;
  std::vector<std::size_t> next_;  // [workers]
  std::int64_t unplanned_ = 0;     // chunks of lost workers
};

}  // namespace

BalancerEntry static_balancer() { return {"static", made_balancer<StaticBalancer>}; }

}  // namespace factosim
