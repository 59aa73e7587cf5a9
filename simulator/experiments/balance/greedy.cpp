#include <algorithm>

#include "simulator/experiments/balance/balancers.hpp"

namespace factosim {

namespace {

/// Gives each idle worker a block of one fixed size: StarPU's default for a loop that was partitioned before.
class Greedy final : public Balancer {
 public:
  explicit Greedy(BalancerRequest const& r) : block_(r.part(r.options.fixed_block)) {}

  void worker_joined(WorkerId /*worker*/, Seconds /*now*/) override { ++workers_; }

  [[nodiscard]] BlockOrder next_block(WorkerId /*worker*/, Pool const& pool) override {
    return {
        .chunks = std::min(block_, pool.left), .phase = BalancePhase::main, .step = handed_out_++ / workers_};
  }

 private:
  std::int64_t block_;
  std::uint32_t handed_out_ = 0;
  std::uint32_t workers_ = 0;  // number of workers that have joined so far
};

}  // namespace

BalancerEntry greedy_balancer() { return {"greedy", made_balancer<Greedy>}; }

}  // namespace factosim
