#pragma once

#include <vector>

#include "simulator/experiments/balance/balancer.hpp"
#include "simulator/experiments/balance/fitted_curve.hpp"

namespace factosim {

struct HdssOptions {
  double first_block = 0.0005;  // of all chunks: a worker's block in the first round
  double adaptive_share = 0.2;  // of all chunks: maximum in the adaptive phase
  double converged = 0.05;      // largest relative change of a weight at convergence
  std::int64_t min_block = 1;   // chunks, in the completion phase
};

/// Heterogeneous dynamic self-scheduling: each worker has one weight, its speed.
/// Source: Belviranli, Bhuyan and Gupta, ACM TACO 9(4), article 57, 2013, as described by its abstract
/// and by the PLB-HAC slides and the papers of their authors.
///
///  - Adaptive phase: rounds of blocks that double, in the ratio of the current weights. A weight is the
///    speed at the worker's block size by the fitted curve a + b ln x. All workers wait for the end of a round
///    (the synchronisation that the slides name as the cause of idle time). The phase ends when the weights
///    have converged.
///  - Completion phase: an idle worker gets half of its share of the remaining chunks, by fixed weights.
class Hdss final : public Balancer {
 public:
  /// Workers are numbered from 0.
  Hdss(HdssOptions const& options, std::size_t workers, std::int64_t chunks);

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override;
  void block_done(BlockReport const& report) override;
  void worker_joined(WorkerId worker, Seconds now) override;
  void worker_lost(WorkerId worker, std::int64_t returned, Seconds now) override;

  /// Shares of the workers in the completion phase.
  [[nodiscard]] double share(WorkerId worker) const;

 private:
  struct Unit {
    bool present = false, busy = false, in_round = false;  // has or had its block of this round
    double weight = 0;                                     // chunks per second; 0: unknown
    std::vector<Measurement> speeds;                       // chunks, chunks per second
  };

  void end_round();
  [[nodiscard]] bool round_is_over() const;
  [[nodiscard]] std::int64_t first_block() const;
  [[nodiscard]] BlockOrder adaptive(WorkerId worker, Pool const& pool);
  [[nodiscard]] BlockOrder completion(WorkerId worker, Pool const& pool);

  HdssOptions options_;
  std::int64_t chunks_;
  std::vector<Unit> units_;
  std::uint32_t round_ = 0;
  bool is_adaptive_ = true;
  std::int64_t handed_out_ = 0;
  std::uint32_t completion_blocks_ = 0;
};

}  // namespace factosim
