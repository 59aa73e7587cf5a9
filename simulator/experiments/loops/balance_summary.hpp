#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/experiments/balance/balancer.hpp"
#include "simulator/experiments/loops/data_parallel.hpp"

namespace factosim {

/// The distribution of the time and the chunks of a data-parallel loop.
struct BalanceSummary {
  /// Idle time by phase. The time between two blocks belongs to the phase of the earlier one, the time before
  /// the first block to the initial phase, the time from the last block to the end of the loop to its phase.
  using ByPhase = std::array<Seconds, balance_phase_count>;

  struct Unit {
    std::int64_t chunks = 0;
    std::uint32_t blocks = 0;  // number of blocks that it has computed
    Seconds compute{0}, transfer{0}, first_start{0}, last_end{0};
    Seconds there{0};  // from joining to the end, or to its loss
    ByPhase idle{};
    [[nodiscard]] Seconds idle_sum() const;
  };
  struct Step {
    std::uint32_t index = 0;
    BalancePhase phase = BalancePhase::main;  // of its first block
    Seconds start{0}, end{0};                 // of its first and of its last block
    std::vector<std::int64_t> chunks;         // [units] of its blocks that ended
  };

  std::vector<Unit> units;
  std::vector<Step> steps;  // those with a block, in their order
};

[[nodiscard]] BalanceSummary summarize(DataParallelLoop const& loop, DataParallelOutcome const& outcome);

}  // namespace factosim
