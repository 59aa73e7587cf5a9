#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "models/unit_costs.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/experiment.hpp"
#include "simulator/runtime/engine/network.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/node/noise.hpp"

namespace factosim {

/// Another program on a worker.
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
  MemoryNodeId memory;  // memory node for the data of its blocks
  CostCurve curve;
  std::vector<CompetingLoad> loads{};
  Seconds joins{0};
  Seconds lost{std::numeric_limits<double>::infinity()};
};

/// A loop whose chunks a master distributes while it runs. The data of a block go from the master's RAM to
/// that of the worker's node and on to the worker's memory; the worker computes; the results go back. A
/// worker does one step after the other. The master takes no time.
struct DataParallelLoop {
  LoopCost cost;
  NodeId master{0};
  std::vector<ProcessingUnit> units;
  NoiseOptions noise{};  // a worker's n-th block has the same noise for every balancer
  double deviation = 0;  // of a block's computing time, relative
};

/// The course of a simulated loop.
struct DataParallelOutcome {
  struct Block {
    WorkerId worker;
    std::int64_t chunks = 0;
    Seconds start{}, compute_start{}, compute_end{}, end{};
    BalancePhase phase = BalancePhase::main;
    std::uint32_t step = 0;
    bool lost = false;  // with its worker; its chunks are distributed again
  };
  struct Transfer {
    MemoryNodeId from, to;
    Bytes size;
    Seconds start{}, end{};  // end < start: interrupted
    std::uint32_t block = 0;
  };

  Seconds makespan{0};
  std::vector<Block> blocks;  // in the order of their distribution
  std::vector<Transfer> transfers;
  std::int64_t chunks_again = 0;  // distributed again after a loss
};

/// Simulates the loop, with dates of `grid`. Throws InfeasibleError if all workers are lost before its end; ContractError if a
/// balancer lets all workers wait, or if a chunk is not computed exactly once.
[[nodiscard]] DataParallelOutcome simulate_loop(DataParallelLoop const& loop, Balancer& balancer,
                                                Topology const& topology, std::unique_ptr<Network> network,
                                                TimeGrid const& grid = {});

/// Returns each worker's time of a block without noise, other loads and other messages.
[[nodiscard]] std::vector<TrueBlockTime> undisturbed_times(DataParallelLoop const& loop,
                                                           Topology const& topology);

/// A scenario of a data-parallel loop, checked.
struct DataParallelScenario {
  Platform platform;
  UnitCosts costs;
  BalancerOptions balancer;
  std::string kernel;
  DataParallelLoop loop;
  NetworkOptions network;
  /// Loads, losses and joins as they were given. With events the optimum is not known.
  nlohmann::ordered_json events = nlohmann::ordered_json::array();

  [[nodiscard]] bool has_events() const { return !events.empty(); }
};

/// Simulates the loop. Throws InfeasibleError if all workers are lost before its end. At most one simulation
/// over SimGrid in a process.
[[nodiscard]] ExperimentResult simulate_data_parallel(DataParallelScenario const& scenario, bool with_trace);

}  // namespace factosim
