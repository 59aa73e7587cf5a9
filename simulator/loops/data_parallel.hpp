#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "models/cost_curve.hpp"
#include "models/loop_kernels.hpp"
#include "simulator/balance/balancer.hpp"
#include "simulator/balance/static_optimum.hpp"
#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/runtime/noise.hpp"

namespace factosim {

/// Somebody else on a worker.
struct CompetingLoad {
  Seconds from{0};
  Seconds until{std::numeric_limits<double>::infinity()};
  double share = 0;  // of the worker's speed that it takes, in [0, 1[
};

/// A whole CPU, or an accelerator.
struct ProcessingUnit {
  std::string name;        // "0:cpu", "0:cuda1"
  std::string unit_class;  // "cpu", "gpu", "phi"
  NodeId node;
  MemoryNodeId memory;  // where its blocks' data must be
  CostCurve curve;
  std::vector<CompetingLoad> loads{};
  Seconds joins{0};
  Seconds lost{std::numeric_limits<double>::infinity()};
};

/// A loop whose chunks a master hands out while it runs. A block's data go from the master's RAM to that of
/// the worker's node and on to the worker's memory, then it computes, then the results go back; a worker
/// does one after the other. The master itself takes no time.
struct DataParallelLoop {
  LoopCost cost;
  NodeId master{0};
  std::vector<ProcessingUnit> units;
  NoiseOptions noise{};  // what is drawn for a worker's n-th block depends on the seed and these two alone
  double deviation = 0;  // of a block's computing time, relative
};

/// Something that happened to a loop.
struct DataParallelOutcome {
  struct Block {
    WorkerId worker;
    std::int64_t chunks = 0;
    Seconds start{}, compute_start{}, compute_end{}, end{};
    BalancePhase phase = BalancePhase::main;
    std::uint32_t step = 0;
    bool lost = false;  // with its worker: its chunks were handed out again
  };
  struct Transfer {
    MemoryNodeId from, to;
    Bytes size;
    Seconds start{}, end{};  // end < start: cut off
    std::uint32_t block = 0;
  };

  Seconds makespan{0};
  std::vector<Block> blocks;  // in the order in which they were handed out
  std::vector<Transfer> transfers;
  std::int64_t chunks_again = 0;  // handed out again after a loss
};

/// Simulates it. Throws InfeasibleError where all workers are lost before the end, ContractError where a
/// balancer lets all workers wait, or where a chunk would not be done exactly once.
[[nodiscard]] DataParallelOutcome simulate_loop(DataParallelLoop const& loop, Balancer& balancer,
                                                Topology const& topology, std::unique_ptr<Network> network);

/// What each worker takes for a block without noise, other loads, and others on the network.
[[nodiscard]] std::vector<TrueBlockTime> undisturbed_times(DataParallelLoop const& loop,
                                                           Topology const& topology);

}  // namespace factosim
