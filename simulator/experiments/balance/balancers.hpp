#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

/// Seconds that one worker needs for a block of that many chunks, including its transfers over an idle
/// network. Increases with the block.
using TrueBlockTime = std::function<double(std::int64_t chunks)>;

/// The optimum for known curves: blocks of whole chunks with which all workers end by `makespan`.
struct StaticOptimum {
  Seconds makespan;
  std::vector<std::vector<std::int64_t>> blocks;  // [workers] chunks of its blocks, in order
};

/// Computes the minimum makespan over all splits into whole chunks with the true curves. Each worker gets one
/// block, or several (nearly) equal ones if that is faster, for instance because of caches. A balancer can
/// only be faster by favourable noise, or if unequal blocks suit a curve better. O(P log(chunks) log(1 /
/// eps)) evaluations.
[[nodiscard]] StaticOptimum static_optimum(std::span<TrueBlockTime const> workers, std::int64_t chunks);

/// The type of a balancer and its options. Options that the type does not have are ignored.
struct BalancerOptions {
  std::string type = "plb-hac";
  double first_block = 0.0005;  // hdss, plb-hac: of all chunks, for each worker
  double fixed_block = 0.001;   // greedy: of all chunks
  std::int64_t min_block = 1;   // guided, hdss: chunks
  int steps = 20;               // plb-hac: of its main phase
};

/// What a balancer is made for.
struct BalancerRequest {
  BalancerOptions const& options;
  std::size_t workers;
  std::int64_t chunks;
  StaticOptimum const& optimum;  // the plan that "static" follows

  /// Returns that part of all chunks, at least one.
  [[nodiscard]] std::int64_t part(double fraction) const {
    return std::max<std::int64_t>(1, std::llround(fraction * static_cast<double>(chunks)));
  }
};

/// A balancer as its file states it; balancers.cpp lists all of them.
struct BalancerEntry {
  char const* name;
  std::unique_ptr<Balancer> (*make)(BalancerRequest const&);
};

/// `BalancerEntry::make` of a class.
template <class Class>
std::unique_ptr<Balancer> made_balancer(BalancerRequest const& request) {
  return std::make_unique<Class>(request);
}

/// "greedy", "guided", "hdss", "plb-hac", "static".
[[nodiscard]] std::vector<std::string> balancer_names();

/// Throws std::out_of_range for a type that is not listed.
[[nodiscard]] std::unique_ptr<Balancer> make_balancer(BalancerOptions const& options, std::size_t workers,
                                                      std::int64_t chunks, StaticOptimum const& optimum);

}  // namespace factosim
