#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

enum class Factorization : std::uint8_t { lu, cholesky };

/// Kinds of tasks of a factorization: on the diagonal tile (getrf, potrf), on the panel (trsm), on the
/// diagonal of the trailing matrix (syrk; Cholesky only), on the rest of it (gemm).
enum class TaskKind : std::uint8_t { diagonal, panel, symmetric_update, update };
inline constexpr std::size_t task_kinds = 4;

/// Returns the kind of the task of iteration k that writes tile (m, n), k <= min(m, n); Cholesky: n <= m.
[[nodiscard]] constexpr TaskKind task_kind(Factorization f, int k, int m, int n) {
  if (m == k && n == k) return TaskKind::diagonal;
  if (m == k || n == k) return TaskKind::panel;
  return f == Factorization::cholesky && m == n ? TaskKind::symmetric_update : TaskKind::update;
}

/// Equal workers of a node.
struct EqualWorkers {
  int count = 0;
  int held = 1;  // tasks that a worker has taken at once: one runs, the others wait for it
  // Where the first one computes, the others in the memories that follow; 0: all in the RAM.
  std::uint32_t memory = 0;
  std::array<double, task_kinds> seconds{};  // [kinds] of one task; infinity: cannot run
};

/// Links between the memories of a node: 0 is the RAM, the others belong to its GPUs.
struct NodeBus {
  struct Route {
    std::vector<std::uint32_t> links{};  // into `links`
    double alone = 0;                    // of a tile that is alone on them, seconds
    double predicted = 0;                // that the runtime system reckons with, seconds
  };
  std::size_t memories = 1;
  std::vector<double> links{};   // of a tile that is alone on one of them, seconds
  std::vector<Route> routes{};   // [memories][memories]
  bool parallel_copies = false;  // copies into one memory from several others overlap
  double allocation = 0;         // of a tile in the memory of a GPU, one at a time, seconds
};

/// Cost of one task of each kind on a node, in seconds.
struct NodeCosts {
  std::array<double, task_kinds> area{};   // [kinds] with all workers computing: 1 / rate
  std::array<double, task_kinds> alone{};  // [kinds] on the fastest worker for that kind
  std::vector<EqualWorkers> workers{};     // one entry for each kind of worker
  std::shared_ptr<NodeBus const> bus{};    // none: all workers compute in the RAM
  double message = 0;                      // of one tile over the node's network card, alone

  [[nodiscard]] double area_of(TaskKind kind) const { return area[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] double alone_of(TaskKind kind) const { return alone[static_cast<std::size_t>(kind)]; }
};

/// Costs that determine, together with the partition, how a factorization is distributed over nodes.
struct FactorizationCosts {
  std::vector<NodeCosts> nodes;
  double transfer = 0;             // of one tile between two nodes, in seconds
  Wire wire = Wire::shared;        // how messages from one node to another share their connection
  std::size_t sends_at_once = 10;  // messages of a node in flight
};

/// [nodes] times of an update with all workers computing, in seconds; infinite without a timing.
[[nodiscard]] std::vector<double> update_times(FactorizationCosts const& costs);

using KindCounts = std::array<std::uint64_t, task_kinds>;

/// [nodes][iterations from 0] number of tasks of each kind on the tiles of each node. O(tiles + nodes nt).
[[nodiscard]] std::vector<std::vector<KindCounts>> tasks_by_iteration(TileMap const& map,
                                                                      Factorization factorization,
                                                                      std::size_t nodes);

/// [nodes][iterations 1..nt] cost of the tiles of each node, ABE_p(k): time with all its workers busy.
[[nodiscard]] std::vector<std::vector<double>> iteration_loads(TileMap const& map,
                                                               Factorization factorization,
                                                               FactorizationCosts const& costs);

}  // namespace factosim
