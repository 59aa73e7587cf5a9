#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// The phase of a balancer in which a block was handed out.
enum class BalancePhase : std::uint8_t {
  initial,  // measures the speeds of the workers
  main,     // distributes the work by the measurements
  gap,      // a worker ended early: the block lasts until the expected end of the others
  final     // smaller blocks, so that all end at the same time
};
inline constexpr std::size_t balance_phase_count = 4;

[[nodiscard]] std::string_view name_of(BalancePhase phase);

/// Consecutive chunks for an idle worker. Without chunks the worker waits, and the balancer is asked again after
/// the next event.
struct BlockOrder {
  std::int64_t chunks = 0;
  BalancePhase phase = BalancePhase::main;
  std::uint32_t step = 0;  // of the balancer, from 0; never decreases
};

/// The state of the loop when a balancer is asked.
struct Pool {
  Seconds now;
  std::int64_t left = 0;      // chunks that no worker has, > 0
  std::size_t in_flight = 0;  // blocks that workers have
};

/// Measurements of a finished block.
struct BlockReport {
  WorkerId worker;
  std::int64_t chunks = 0;
  Seconds transfer;  // of its data and of its results
  Seconds compute;
  Seconds now;
};

/// Statistics of a balancer's decisions.
struct BalancerNotes {
  std::uint32_t solved_by_ipopt = 0, solved_by_bracketing = 0;  // systems of equal times
  double largest_residual = 0;                                  // relative, of their solutions
  std::vector<std::string> models;  // [workers] terms of the fitted curves, or empty
};

/// Decides how many chunks of a data-parallel loop an idle worker gets, from measurements only.
///
/// If no block is in flight, one of the idle workers must get a block.
class Balancer {
 public:
  virtual ~Balancer() = default;

  /// Returns at most `pool.left` chunks.
  [[nodiscard]] virtual BlockOrder next_block(WorkerId worker, Pool const& pool) = 0;
  virtual void block_done(BlockReport const& /*report*/) {}
  /// Workers that are present at the start join at time 0.
  virtual void worker_joined(WorkerId /*worker*/, Seconds /*now*/) {}
  /// `returned` chunks of a block in flight are back in the pool.
  virtual void worker_lost(WorkerId /*worker*/, std::int64_t /*returned*/, Seconds /*now*/) {}
  [[nodiscard]] virtual BalancerNotes notes() const { return {}; }
};

}  // namespace factosim
