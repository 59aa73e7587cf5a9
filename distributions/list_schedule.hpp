#pragma once

#include "distributions/factorization_work.hpp"
#include "distributions/node_workers.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Returns the makespan, in seconds, of a factorization by list scheduling:
///   A task goes, when its operands are on the owner of its tile, to the worker of that node that would end it
///   first after all tasks that it already has, or to one that is idle (`choice`; any_idle: geometric mean of the
///   makespans with core_first and gpu_first). Workers take tasks by k + m + n,
///   smallest first, and hold up to `held` of them; from a common queue a worker takes the next one only when the
///   operands of the last are there. A GPU's task waits for copies of its operands (`NodeWorkers`).
///   A tile of the panel goes to each other node that reads it, by the k + m + n of its first reader there,
///   `sends_at_once` messages of a node at a time. A message has the smaller of equal shares of the sender's and the
///   receiver's network card; unless the wire is shared, messages from one node to another follow each other (on a
///   FIFO wire, only with earliest_end).
/// Costs of the runtime system are left out. Every node that owns a tile must have
/// workers for all kinds of tasks. O(tasks (workers of a node + log tasks)); LU of nt x nt tiles has nt^3 / 3
/// tasks.
[[nodiscard]] double list_schedule(TileMap const& map, Factorization factorization,
                                   FactorizationCosts const& costs,
                                   WorkerChoice choice = WorkerChoice::earliest_end);

}  // namespace factosim
