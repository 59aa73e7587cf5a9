#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// What a balancer is doing when it hands a block out.
enum class BalancePhase : std::uint8_t {
  initial,  // it learns how fast the workers are
  main,     // it hands out by what it knows
  gap,      // a worker is early: the block fills its time until the others' expected end
  final     // smaller blocks, so that all end together
};
inline constexpr std::size_t balance_phase_count = 4;

[[nodiscard]] std::string_view name_of(BalancePhase phase);

/// What an idle worker gets: so many chunks, one after the other. None: it waits, and is asked for again
/// when anything has happened.
struct BlockOrder {
  std::int64_t chunks = 0;
  BalancePhase phase = BalancePhase::main;
  std::uint32_t step = 0;  // of the balancer, from 0; never falls
};

/// What the dispatcher knows when it asks.
struct Pool {
  Seconds now;
  std::int64_t left = 0;      // chunks that nobody has, > 0
  std::size_t under_way = 0;  // blocks that workers have
};

/// A block that has ended, as measured.
struct BlockReport {
  WorkerId worker;
  std::int64_t chunks = 0;
  Seconds transfer;  // of its data and of its results
  Seconds compute;
  Seconds now;
};

/// How a balancer came to its decisions, for those that want to know.
struct BalancerNotes {
  std::uint32_t solved_by_ipopt = 0, solved_by_bracketing = 0;  // systems of equal times
  double largest_residual = 0;                                  // relative, of their solutions
  std::vector<std::string> models;  // [workers] terms of the fitted curves, or empty
};

/// Decides how many chunks of a data-parallel loop an idle worker gets. It sees measurements only.
///
/// Where no block is under way, one of the idle workers must get one.
class Balancer {
 public:
  virtual ~Balancer() = default;

  /// At most `pool.left` chunks.
  [[nodiscard]] virtual BlockOrder next_block(WorkerId worker, Pool const& pool) = 0;
  virtual void block_done(BlockReport const& /*report*/) {}
  /// All workers that are there at the start join at 0.
  virtual void worker_joined(WorkerId /*worker*/, Seconds /*now*/) {}
  /// `returned` chunks of a block under way are back in the pool.
  virtual void worker_lost(WorkerId /*worker*/, std::int64_t /*returned*/, Seconds /*now*/) {}
  [[nodiscard]] virtual BalancerNotes notes() const { return {}; }
};

}  // namespace factosim
