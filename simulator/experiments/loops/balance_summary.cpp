#include "simulator/experiments/loops/balance_summary.hpp"

#include <algorithm>
#include <numeric>

namespace factosim {

namespace {

using Block = DataParallelOutcome::Block;

Seconds& idle_in(BalanceSummary::Unit& unit, BalancePhase phase) {
  return unit.idle[static_cast<std::size_t>(phase)];
}

/// Adds the units' times; their blocks are in the order of time.
void add_times(BalanceSummary& out, DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  std::vector<BalancePhase> last_phase(loop.units.size(), BalancePhase::initial);
  for (std::size_t w = 0; w < loop.units.size(); ++w) out.units[w].last_end = loop.units[w].joins;
  for (Block const& b : outcome.blocks) {
    BalanceSummary::Unit& unit = out.units[b.worker.index()];
    idle_in(unit, last_phase[b.worker.index()]) += b.start - unit.last_end;
    last_phase[b.worker.index()] = b.phase;
    if (unit.blocks == 0) unit.first_start = b.start;
    unit.last_end = b.end;
    if (b.lost) continue;
    unit.chunks += b.chunks;
    ++unit.blocks;
    unit.compute += b.compute_end - b.compute_start;
    unit.transfer += (b.compute_start - b.start) + (b.end - b.compute_end);
  }
  for (std::size_t w = 0; w < loop.units.size(); ++w) {
    BalanceSummary::Unit& unit = out.units[w];
    Seconds const leaves = std::max(loop.units[w].joins, std::min(outcome.makespan, loop.units[w].lost));
    unit.there = leaves - loop.units[w].joins;
    idle_in(unit, last_phase[w]) += std::max(Seconds{0}, leaves - unit.last_end);
  }
}

void add_steps(BalanceSummary& out, DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  std::vector<std::size_t> place;  // [steps of the balancer] in out.steps
  for (Block const& b : outcome.blocks) {
    if (b.step >= place.size()) place.resize(b.step + 1, SIZE_MAX);
    if (place[b.step] == SIZE_MAX) {
      place[b.step] = out.steps.size();
      out.steps.push_back({.index = b.step,
                           .phase = b.phase,
                           .start = b.start,
                           .end = b.end,
                           .chunks = std::vector<std::int64_t>(loop.units.size(), 0)});
    }
    BalanceSummary::Step& step = out.steps[place[b.step]];
    step.end = std::max(step.end, b.end);
    if (!b.lost) step.chunks[b.worker.index()] += b.chunks;
  }
}

}  // namespace

Seconds BalanceSummary::Unit::idle_sum() const {
  return std::accumulate(idle.begin(), idle.end(), Seconds{0});
}

BalanceSummary summarize(DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  BalanceSummary out;
  out.units.resize(loop.units.size());
  add_times(out, loop, outcome);
  add_steps(out, loop, outcome);
  return out;
}

}  // namespace factosim
