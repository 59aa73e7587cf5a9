#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/balance/equal_time.hpp"

namespace factosim {

namespace {

// Maximum cost of halving all blocks of a step, as a fraction of its time; if it is exceeded, there are fewer
// steps.
constexpr double max_halving_cost = 0.02;
constexpr int min_steps = 3;
// Minimum relative error that is assumed of measurements.
constexpr double min_error = 0.02;
// Chunks: a size that differs from a whole number by less is rounded to it.
constexpr double rounding = 1e-6;

// Of a step's length: a worker that ends earlier gets a gap-filling block.
constexpr double max_gap = 0.12;
// Maximum size of a block relative to the largest one measured on its worker.
constexpr double growth = 2;

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
  explicit PlbHac(BalancerRequest const& r)
      : first_block_(r.part(r.options.first_block)),
        steps_(r.options.steps),
        chunks_(r.chunks),
        units_(r.workers) {
    FACTOSIM_EXPECT(chunks_ > 0 && r.workers > 0, "there is work and somebody to do it");
  }

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override {
    Unit& unit = units_[worker.index()];
    BlockOrder order{.chunks = 0, .phase = BalancePhase::initial, .step = step_.index};
    if (unit.model.is_known()) {
      order = by_model(unit, pool);
    } else {
      order.chunks = first_block_;
    }
    order.chunks = std::min(order.chunks, pool.left);
    if (order.chunks == 0) return order;
    unit.busy = true;
    unit.last_step = step_.index;
    if (unit.model.is_known())
      unit.expected_end = pool.now.value + unit.model.seconds(fraction(order.chunks));
    return order;
  }

  void block_done(BlockReport const& report) override {
    Unit& unit = units_[report.worker.index()];
    unit.busy = false;
    unit.model.add(fraction(report.chunks), report.compute.value, report.transfer.value);
    unit.model.refit();
  }
  void worker_joined(WorkerId worker, Seconds /*now*/) override { units_[worker.index()].present = true; }
  /// Plans the work of the lost worker again.
  void worker_lost(WorkerId worker, std::int64_t /*returned*/, Seconds now) override {
    units_[worker.index()].present = units_[worker.index()].busy = false;
    step_.end = std::min(step_.end, now.value);
  }

  [[nodiscard]] BalancerNotes notes() const override {
    BalancerNotes out{
        solver_.solved_by_ipopt(), solver_.solved_by_bracketing(), solver_.largest_residual(), {}};
    for (Unit const& unit : units_)
      out.models.push_back(unit.model.is_known() ? unit.model.curve().terms() : std::string());
    return out;
  }

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

  void plan(Pool const& pool) {
    double const now = pool.now.value;
    known_.clear();
    known_models_.clear();
    for (Unit const& unit : units_) {
      if (!unit.present || !unit.model.is_known()) continue;
      known_.push_back({&unit.model, unit.busy ? std::max(now, unit.expected_end) : now});
      known_models_.push_back(&unit.model);
    }
    double const left = fraction(pool.left);
    EqualTimeSolution const all = solver_.solve(known_, left);
    ++step_.index;
    step_.begin = now;
    step_.all_end = all.end;
    step_.phase = BalancePhase::main;
    step_.is_last = false;
    double const share = share_of_step(left, all);
    if (share >= left) return plan_last(pool.left);

    step_.end = solver_.solve(known_, share).end;
    double const limit = now + longest_step();
    if (limit < step_.end) {
      step_.end = limit;
      step_.phase = BalancePhase::initial;
    }
  }
  /// Distributes all remaining chunks, as whole numbers, for the earliest possible end.
  void plan_last(std::int64_t chunks) {
    auto const enough = [&](double end) {
      std::int64_t sum = 0;
      for (EqualTimeWorker const& worker : known_) sum += chunks_by(worker, end);
      return sum >= chunks;
    };
    double low = step_.all_end, high = std::numeric_limits<double>::infinity();
    for (EqualTimeWorker const& worker : known_)
      high = std::min(high, worker.free_at + worker.time->seconds(fraction(chunks) * (1 + rounding)));
    high = std::max(high, low);
    for (int i = 0; i < 60 && !enough(low); ++i) {
      double const middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (enough(middle) ? high : low) = middle;
    }
    step_.end = step_.all_end = enough(low) ? low : high;
    step_.is_last = true;
  }

  /// Returns the fraction of all work that the next step hands out, and sets the phase.
  [[nodiscard]] double share_of_step(double left, EqualTimeSolution const& all) {
    int steps = steps_;
    while (steps > min_steps && cost_of_halving(all, 1.0 / steps / left).relative > max_halving_cost) --steps;
    double const share = 1.0 / steps;
    if (left > 2 * share) return share;

    step_.phase = BalancePhase::final;
    // The errors of the models make the last blocks end unevenly; those of smaller blocks are smaller.
    double const gain = expected_error(all) * (all.end - step_.begin) / 2;
    bool const few_chunks = left * static_cast<double>(chunks_) < 2 * static_cast<double>(known_.size());
    return few_chunks || cost_of_halving(all, 1).seconds > gain ? left : left / 2;
  }
  /// `part`: fraction of the sizes in `all`.
  [[nodiscard]] CostOfHalving cost_of_halving(EqualTimeSolution const& all, double part) const {
    double work = 0, whole = 0, cost = 0;
    for (std::size_t p = 0; p < known_.size(); ++p) {
      double const size = all.size[p] * part;
      if (size <= 0) continue;
      double const seconds = known_[p].time->seconds(size);
      work += size;
      whole += size * seconds;
      cost += size * (2 * known_[p].time->seconds(size / 2) - seconds);
    }
    return {cost / work, cost / whole};
  }

  [[nodiscard]] double expected_error(EqualTimeSolution const& all) const {
    double work = 0, error = 0;
    for (std::size_t p = 0; p < known_.size(); ++p) {
      work += all.size[p];
      error += all.size[p] * known_models_[p]->error();
    }
    return std::max(min_error, error / work);
  }
  /// Returns the seconds that the fastest worker needs for twice its largest block so far.
  [[nodiscard]] double longest_step() const {
    double best = 0, seconds = 0;
    for (UnitModel const* const model : known_models_) {
      double const rate = model->largest() / model->seconds(model->largest());
      if (rate <= best) continue;
      best = rate;
      seconds = model->seconds(growth * model->largest());
    }
    return seconds;
  }

  /// Also if a block up to the step's end would be so small that it ran at less than half of the worker's
  /// speed.
  [[nodiscard]] bool step_is_over(Unit const& unit, double now) const {
    double const length = step_.end - step_.begin;
    double const rest = step_.end - now;
    if (rest <= max_gap * length) return true;
    if (step_.is_last || unit.last_step != step_.index) return false;
    return unit.model.size_within(rest) / rest < 0.5 * unit.model.size_within(length) / length;
  }
  /// Returns the chunks of a block up to the end of the step, limited by the measured sizes.
  [[nodiscard]] std::int64_t sized(UnitModel const& model, double now) const {
    double size = std::min(model.size_within(step_.end - now), growth * model.largest());
    // Two sizes define a line; a block below the smallest measured size is not worthwhile...
    size = std::max(size, model.has_line() ? model.smallest() : growth * model.smallest());
    // ... except at the end, when all would wait for a larger one.
    auto const all = static_cast<double>(chunks_);
    auto const maximum = static_cast<std::int64_t>(model.size_within(step_.all_end - now) * all + rounding);
    return std::min(std::llround(size * all), static_cast<long long>(maximum));
  }

  /// Returns the number of whole chunks that a worker can finish by the date `end`.
  [[nodiscard]] std::int64_t chunks_by(EqualTimeWorker const& worker, double end) const {
    double const size = worker.time->size_within(end - worker.free_at);
    return static_cast<std::int64_t>(size * static_cast<double>(chunks_) + rounding);
  }
  [[nodiscard]] bool ends_one_chunk_first(Unit const& unit) const {
    double const one = fraction(1);
    return std::all_of(units_.begin(), units_.end(), [&](Unit const& other) {
      return !other.present || !other.model.is_known() || other.model.seconds(one) >= unit.model.seconds(one);
    });
  }
  [[nodiscard]] BlockOrder by_model(Unit& unit, Pool const& pool) {
    double const now = pool.now.value;
    if (step_is_over(unit, now)) plan(pool);
    std::int64_t chunks = sized(unit.model, now);
    if (chunks == 0 && pool.in_flight == 0) {
      plan(pool);
      chunks = sized(unit.model, now);
      if (chunks == 0 && ends_one_chunk_first(unit)) chunks = 1;
    }
    BalancePhase phase = unit.last_step == step_.index ? BalancePhase::gap : step_.phase;
    if (!unit.model.has_line()) phase = BalancePhase::initial;
    return {.chunks = chunks, .phase = phase, .step = step_.index};
  }

  [[nodiscard]] double fraction(std::int64_t chunks) const {
    return static_cast<double>(chunks) / static_cast<double>(chunks_);
  }

  std::int64_t first_block_;  // of each worker
  int steps_;                 // of the main phase; fewer if blocks are expensive
  std::int64_t chunks_;
  std::vector<Unit> units_;
  EqualTimeSolver solver_;
  Step step_;
  // Workers of the plan: those present that have a model.
  std::vector<EqualTimeWorker> known_;
  std::vector<UnitModel const*> known_models_;
};

}  // namespace

BalancerEntry plb_hac_balancer() { return {"plb-hac", made_balancer<PlbHac>}; }

}  // namespace factosim
