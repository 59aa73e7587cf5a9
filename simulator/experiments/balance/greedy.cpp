#include <algorithm>
#include <cmath>

#include "simulator/experiments/balance/balancers.hpp"

namespace factosim {

namespace {

/// Gives each idle worker a block of one fixed size: StarPU's default for a loop that was partitioned before.
class Greedy final : public Balancer {
 public:
  explicit Greedy(std::int64_t block) : block_(block) {}

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

BalancerEntry greedy_balancer() {
  return {"greedy", [](BalancerRequest const& r) -> std::unique_ptr<Balancer> {
            double const block = r.options.fixed_block * static_cast<double>(r.chunks);
            return std::make_unique<Greedy>(std::max<std::int64_t>(1, std::llround(block)));
          }};
}

}  // namespace factosim
