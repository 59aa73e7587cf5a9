#pragma once

#include <vector>

#include "simulator/experiments/balance/balancer.hpp"
#include "simulator/experiments/balance/equal_time.hpp"
#include "simulator/experiments/balance/unit_model.hpp"

namespace factosim {

struct PlbHacOptions {
  double first_block = 0.0005;  // of all chunks: the first block of each worker
  int steps = 20;               // virtual steps of the main phase; fewer if blocks are expensive
  double gap = 0.12;            // of a step's length: a worker that ends earlier gets a gap-filling block
  double growth = 2;            // maximum size of a block relative to the largest one measured on its worker
};

/// Profile-based load balancing: fits each worker's time by block size at run time, and sizes blocks so that all
/// workers end a (virtual) step at the same time.
/// Source: Sant'Ana, Cordeiro and de Camargo, PLB-HAC, Euro-Par 2019 (slides).
///
///  - Initial phase: the first block is of one size; then the fastest worker's block doubles from step to
///    step and the others' are proportional to their speeds. No worker waits for another.
///  - Main phase: each virtual step hands out a share of the work, by the system of equal times. Workers
///    that are still busy count from their expected end. Models are fitted again after each block.
///  - A worker that ends early gets a block up to the step's end; a late worker gets less.
///  - Final phase: steps halve as long as the better balance outweighs the cost of more blocks.
///
/// The slides do not specify these choices of this implementation: the share of a step, the limits of a block's
/// growth, the guards of the fit (FittedCurve), the change of speed (UnitModel), whole chunks in the last step,
/// and waiting if nothing can be done by the expected end.
class PlbHac final : public Balancer {
 public:
  /// Workers are numbered from 0.
  PlbHac(PlbHacOptions const& options, std::size_t workers, std::int64_t chunks);

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override;
  void block_done(BlockReport const& report) override;
  void worker_joined(WorkerId worker, Seconds now) override;
  void worker_lost(WorkerId worker, std::int64_t returned, Seconds now) override;

  [[nodiscard]] BalancerNotes notes() const override;

 private:
  struct Unit {
    UnitModel model;
    bool present = false, busy = false;
    double expected_end = 0;         // of its block, in seconds
    std::uint32_t last_step = none;  // in which the worker got a block
  };
  struct Step {
    std::uint32_t index = 0;     // 0: the first blocks
    double begin = 0, end = -1;  // seconds
    double all_end = 0;          // earliest possible end of all work, in seconds
    BalancePhase phase = BalancePhase::initial;
    bool is_last = false;
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Returns the cost of halving every worker's block, averaged over the work.
  struct CostOfHalving {
    double seconds = 0, relative = 0;
  };

  void plan(Pool const& pool);
  void plan_last(std::int64_t chunks);
  [[nodiscard]] double share_of_step(double left, EqualTimeSolution const& all);
  [[nodiscard]] CostOfHalving cost_of_halving(EqualTimeSolution const& all, double part) const;
  [[nodiscard]] double expected_error(EqualTimeSolution const& all) const;
  [[nodiscard]] double longest_step() const;
  [[nodiscard]] bool step_is_over(Unit const& unit, double now) const;
  [[nodiscard]] std::int64_t sized(UnitModel const& model, double now) const;
  [[nodiscard]] std::int64_t chunks_by(EqualTimeWorker const& worker, double end) const;
  [[nodiscard]] bool ends_one_chunk_first(Unit const& unit) const;
  [[nodiscard]] BlockOrder by_model(Unit& unit, Pool const& pool);
  [[nodiscard]] double fraction(std::int64_t chunks) const {
    return static_cast<double>(chunks) / static_cast<double>(chunks_);
  }

  PlbHacOptions options_;
  std::int64_t chunks_;
  std::vector<Unit> units_;
  EqualTimeSolver solver_;
  Step step_;
  // Workers of the plan: those present that have a model.
  std::vector<EqualTimeWorker> known_;
  std::vector<UnitModel const*> known_models_;
};

}  // namespace factosim
