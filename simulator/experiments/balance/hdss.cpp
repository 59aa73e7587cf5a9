#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/base/core/sample.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/balance/fitted_curve.hpp"

namespace factosim {

namespace {

/// Returns the speed on a block of that size by least squares of a + b ln x, within the measured speeds.
double fitted_speed(std::vector<Measurement> const& points, double size) {
  auto const [low, high] = std::minmax_element(
      points.begin(), points.end(), [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
  std::vector<std::pair<double, double>> speeds;
  for (Measurement const& m : points) speeds.emplace_back(std::log(m.size), m.seconds);
  auto const line = line_through(speeds);
  if (!line) return points.back().seconds;
  return std::clamp(line->at_zero + line->slope * std::log(size), low->seconds, high->seconds);
}

constexpr double adaptive_share = 0.2;  // of all chunks: maximum in the adaptive phase
constexpr double converged = 0.05;      // largest relative change of a weight at convergence

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
  explicit Hdss(BalancerRequest const& r)
      : first_block_(r.part(r.options.first_block)),
        least_(r.options.min_block),
        chunks_(r.chunks),
        units_(r.workers) {}

  [[nodiscard]] BlockOrder next_block(WorkerId worker, Pool const& pool) override {
    if (is_adaptive_ && units_[worker.index()].in_round && round_is_over()) end_round();
    BlockOrder order = is_adaptive_ ? adaptive(worker) : completion(worker, pool);
    order.chunks = std::min(order.chunks, pool.left);
    handed_out_ += order.chunks;
    if (order.chunks > 0) units_[worker.index()].busy = true;
    return order;
  }
  void block_done(BlockReport const& report) override {
    Unit& unit = units_[report.worker.index()];
    unit.busy = false;
    auto const size = static_cast<double>(report.chunks);
    double const seconds = (report.compute + report.transfer).value;
    if (is_adaptive_ || unit.weight == 0) {
      unit.speeds.push_back({size, size / seconds});
      if (!is_adaptive_) unit.weight = size / seconds;  // of a worker that joined later
    }
  }

  void worker_joined(WorkerId worker, Seconds /*now*/) override { units_[worker.index()].present = true; }
  void worker_lost(WorkerId worker, std::int64_t /*returned*/, Seconds /*now*/) override {
    units_[worker.index()].present = units_[worker.index()].busy = false;
  }

 private:
  struct Unit {
    bool present = false, busy = false, in_round = false;  // has or had its block of this round
    double weight = 0;                                     // chunks per second; 0: unknown
    std::vector<Measurement> speeds;                       // chunks, chunks per second
  };

  /// Share of a worker in the completion phase.
  [[nodiscard]] double share(WorkerId worker) const {
    double sum = 0;
    for (Unit const& unit : units_)
      if (unit.present) sum += unit.weight;
    return sum > 0 ? units_[worker.index()].weight / sum : 0;
  }
  void end_round() {
    std::vector<double> before(units_.size());
    for (std::size_t w = 0; w < units_.size(); ++w) before[w] = share(WorkerId{w});
    for (Unit& unit : units_)
      if (!unit.speeds.empty()) unit.weight = fitted_speed(unit.speeds, unit.speeds.back().size);
    double change = 0;
    for (std::size_t w = 0; w < units_.size(); ++w)
      if (units_[w].present) change = std::max(change, std::abs(share(WorkerId{w}) / before[w] - 1));
    ++round_;
    for (Unit& unit : units_) unit.in_round = false;
    bool const spent = static_cast<double>(handed_out_) >= adaptive_share * static_cast<double>(chunks_) / 2;
    is_adaptive_ = !(round_ > 2 && change <= converged) && !spent;  // the next round would double its cost
  }

  [[nodiscard]] bool round_is_over() const {
    return std::all_of(units_.begin(), units_.end(),
                       [](Unit const& u) { return !u.present || (u.in_round && !u.busy); });
  }
  [[nodiscard]] BlockOrder adaptive(WorkerId worker) {
    Unit& unit = units_[worker.index()];
    BlockOrder order{.chunks = 0, .phase = BalancePhase::initial, .step = round_};
    if (unit.in_round) return order;  // the worker waits for the others
    unit.in_round = true;
    auto const present = static_cast<double>(
        std::count_if(units_.begin(), units_.end(), [](Unit const& u) { return u.present; }));
    double const doubled = static_cast<double>(first_block_) * std::exp2(round_);
    double const size =
        unit.weight > 0 ? doubled * present * share(worker) : static_cast<double>(first_block_);
    order.chunks = std::max<std::int64_t>(1, std::llround(size));
    return order;
  }

  [[nodiscard]] BlockOrder completion(WorkerId worker, Pool const& pool) {
    auto const left = static_cast<double>(pool.left);
    std::int64_t const size = units_[worker.index()].weight > 0
                                  ? static_cast<std::int64_t>(std::ceil(left * share(worker) / 2))
                                  : first_block_;
    auto const present = static_cast<std::uint32_t>(
        std::count_if(units_.begin(), units_.end(), [](Unit const& u) { return u.present; }));
    return {.chunks = std::max(size, least_),
            .phase = BalancePhase::final,
            .step = round_ + completion_blocks_++ / present};
  }

  std::int64_t first_block_, least_, chunks_;  // of each worker; of the completion phase; all
  std::vector<Unit> units_;
  std::uint32_t round_ = 0;
  bool is_adaptive_ = true;
  std::int64_t handed_out_ = 0;
  std::uint32_t completion_blocks_ = 0;
};

}  // namespace

BalancerEntry hdss_balancer() { return {"hdss", made_balancer<Hdss>}; }

}  // namespace factosim
