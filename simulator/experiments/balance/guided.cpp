#include <algorithm>

#include "simulator/experiments/balance/balancers.hpp"

namespace factosim {

namespace {

/// Guided self-scheduling: an idle worker gets the remaining chunks divided by the number of workers. Blocks
/// shrink down to a minimum size.
/// Source: Polychronopoulos and Kuck, IEEE Transactions on Computers 36(12), 1987.
class Guided final : public Balancer {
 public:
  explicit Guided(BalancerRequest const& r) : least_(r.options.min_block) {}

  void worker_joined(WorkerId /*worker*/, Seconds /*now*/) override { ++workers_, ++ever_; }
  void worker_lost(WorkerId /*worker*/, std::int64_t /*returned*/, Seconds /*now*/) override { --workers_; }

  [[nodiscard]] BlockOrder next_block(WorkerId /*worker*/, Pool const& pool) override {
    std::int64_t const share = (pool.left + workers_ - 1) / workers_;
    return {.chunks = std::min(std::max(share, least_), pool.left),
            .phase = BalancePhase::main,
            .step = handed_out_++ / ever_};
  }

 private:
  std::int64_t least_;
  std::int64_t workers_ = 0;
  std::uint32_t handed_out_ = 0;
  std::uint32_t ever_ = 0;  // workers that have ever joined
};

}  // namespace

BalancerEntry guided_balancer() { return {"guided", made_balancer<Guided>}; }

}  // namespace factosim
